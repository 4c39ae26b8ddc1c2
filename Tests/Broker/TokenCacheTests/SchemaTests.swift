import DurableSQLite
import OAuth
import TestSupport
import Testing

@testable import TokenCache

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SchemaTests {
    /// The fingerprints of the schema steps, oldest first.
    ///
    /// A new step adds a fingerprint. After the release of 0.1.0, no fingerprint may change.
    private static let steps = ["21f05dbdfa20f146"]

    @Test("no step of the schema was edited, moved or removed") func appendOnly() {
        #expect(CacheSchema.steps.map(\.fingerprint) == Self.steps)
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
