import DurableSQLite
import OAuth
import TestSupport
import Testing

@testable import TokenCache

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SchemaTests {
    /// The fingerprints of the steps that were shipped, oldest first: a new step adds one, and none ever changes.
    private static let shipped = [
        "9ad09dcca08d4aaf",
        "e78ee3138b08a64f",
        "b5637f36c634ea01",
        "96e3a32e7f69f956",
        "ce3416121ed8643d",
        "083c90821d2ba6cc",
        "721489079b0d3c28",
    ]

    @Test("no step of the schema that was shipped was edited, moved or taken away") func appendOnly() {
        #expect(Migrations.all.map(\.fingerprint) == Self.shipped)
    }

    @Test("every table is STRICT") func strict() async throws {
        let folder = try TemporaryFolder()
        let key = Secret(bytes: [UInt8](repeating: 1, count: 32))
        let cache = try TokenCache.open(
            TokenCache.Options(directory: folder.path("state"), key: key, clock: TestClock().clock)
        )
        #expect(try cache.core.database.lenientTables() == [])
    }
}
