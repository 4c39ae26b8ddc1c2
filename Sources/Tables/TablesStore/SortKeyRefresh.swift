import DurableSQLite
import GRDB
import GRDBSQLite
import Storage
import Tables
import TablesSQL
import TablesSQLite

/// Rebuilds a table's sort keys that were created by another version of the program or with other Unicode data.
struct SortKeyRefresh {
    let database: DurableDatabase
    let table: TableSQL

    func run() async throws(StoreError) {
        let (table, name) = (table, table.plainName)
        let old = try await database.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT name FROM columns WHERE table_name = $1 AND type = 'string' AND sort_version <> $2",
                arguments: [name, SortKey.fingerprint]
            )
        }
        for column in old.compactMap(table.definition.column) {
            var last: Int64? = 0
            while let from = last {
                last = try await database.write { db in try Self.refresh(db, table, column, after: from) }
            }
            try await database.write { db in
                try db.run(
                    "UPDATE columns SET sort_version = $1 WHERE table_name = $2 AND name = $3",
                    [SortKey.fingerprint, name, column.name.lowercased()]
                )
            }
        }
    }

    /// Rebuilds a batch of sort keys after `last`, and returns the batch's last `rowid`, or `nil` if no rows remain.
    private static func refresh(
        _ db: Database,
        _ table: TableSQL,
        _ column: TableColumn,
        after last: Int64
    ) throws -> Int64? {
        guard let update = table.updateKey(column) else { return nil }
        var texts: [(row: Int64, key: SQLValue)] = []
        let arguments: [SQLValue] = [.integer(last), .integer(Int64(TablesStore.batch))]
        try RawStatement(table.selectTexts(column), arguments).run(db) { statement in
            let isNull = sqlite3_column_type(statement, 1) == SQLITE_NULL
            let key: SQLValue = isNull ? .null : .text(SortKey.of(RowReader.text(at: 1, of: statement)))
            texts.append((sqlite3_column_int64(statement, 0), key))
        }
        for (row, key) in texts { try RawStatement(update, [key, .integer(row)]).run(db) }
        return texts.count < TablesStore.batch ? nil : texts.last?.row
    }
}
