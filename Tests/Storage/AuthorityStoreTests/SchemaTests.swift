import DurableSQLite
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SchemaTests {
    /// The fingerprints of the schema steps, oldest first.
    ///
    /// Every new step adds a fingerprint. The existing fingerprints must not change after the release of 0.1.0.
    private static let steps = ["7e74dfc8f6c18979", "9e16728cd45a8601"]

    @Test("no schema step was edited, moved or removed") func appendOnly() {
        #expect(AuthoritySchema.steps.map(\.fingerprint) == Self.steps)
    }

    @Test("every column of bytes is sealed with its table's key, and a restore can open it") func sealed() async throws
    {
        let fixture = try StoreFixture()
        let columns = try await fixture.store.core.database.read { db in
            try db.rows(
                """
                /* test */ SELECT m.name || ' ' || k.name || ' ' || c.name AS name
                FROM sqlite_master m, pragma_table_info(m.name) c, pragma_table_info(m.name) k
                WHERE m.type = 'table' AND c.type = 'BLOB' AND k.pk = 1 AND m.name NOT IN ('key_check', 'damaged')
                """
            ).map { row -> String in try row.get("name") }
        }
        let sealed = AuthorityStore.sealedColumns.map { "\($0.table) \($0.key) \($0.column)" }
        #expect(Set(columns) == Set(sealed))
    }

    @Test("every table is STRICT") func strict() async throws {
        let fixture = try StoreFixture()
        #expect(try fixture.store.core.database.lenientTables() == [])
    }
}
