import DurableSQLite
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SchemaTests {
    /// The fingerprints of the steps that were shipped, oldest first: a new step adds one, and none ever changes.
    private static let shipped = [
        "1ddeb3c9aeea3dfd",
        "973f50a79f65731c",
        "e7cf56a22d7f9c0f",
        "72b4c508acd00659",
        "d26a2e3839120f52",
        "c3b958c0a14488a8",
    ]

    @Test("no step of the schema that was shipped was edited, moved or taken away") func appendOnly() {
        #expect(Migrations.all.map(\.fingerprint) == Self.shipped)
    }

    @Test("every table is STRICT") func strict() async throws {
        let fixture = try StoreFixture()
        #expect(try fixture.store.core.database.lenientTables() == [])
    }
}
