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
        "bb0d5783bcc551f2",
        "2f2d533739ea58ad",
        "2cd138bd7aa4cbf1",
        "7934469981a6a54d",
        "87c0794bb2508bff",
        "91f9aa20dca20116",
        "c4135db175f8629b",
        "456bbc59905b0784",
        "cf1f8951206566ba",
        "d2d797d5df7fbc23",
        "6ae4c9bf42db787a",
        "727599930f45c1bf",
        "0ac1a8d636a98530",
        "ab7845d6e3509a5c",
        "cdd4fa1e4a281657",
        "45147379afa3c3bf",
    ]

    @Test("no step of the schema that was shipped was edited, moved or taken away") func appendOnly() {
        #expect(Migrations.all.map(\.fingerprint) == Self.shipped)
    }

    @Test("every column of bytes is sealed under its table's key, and a restore opens it") func sealed() async throws {
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
