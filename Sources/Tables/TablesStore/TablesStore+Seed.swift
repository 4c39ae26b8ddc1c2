import DurableSQLite
import GRDB
public import Tables
import TablesSQL
import TablesSQLite

extension TablesStore {
    /// Inserts the initial rows of a table, either all or none, and returns how many there are.
    ///
    /// Only the first call for a table inserts rows, and only if the table is empty. Call this method for every table,
    /// even if `rows` is empty, so that initial rows that are configured later are not inserted.
    ///
    /// - Throws: ``TablesStoreError`` `exists` if an id occurs twice, `TableProblem` for a column with values of
    ///   different types.
    public func seed(_ rows: [(owner: String, draft: RowDraft)], into table: TableDeclaration) async throws -> Int {
        let sql = try sql(table)
        let name = sql.plainName
        let count = try await write { db, now in
            guard try db.number("SELECT seeded FROM tables WHERE name = $1", [name]) == 0 else { return 0 }
            _ = try db.run("UPDATE tables SET seeded = 1 WHERE name = $1", [name])
            guard try db.number("SELECT EXISTS (SELECT 1 FROM \(sql.name))") == 0 else { return 0 }
            for (owner, draft) in rows {
                let (wide, values) = try TablesSchema.grow(db, sql, draft)
                _ = try OwnedRows(db: db, sql: wide, owner: owner).insert(values, id: draft.id, now)
            }
            return rows.count
        }
        if table.isDynamic, count > 0 {
            let columns = try await database.read { db in try TablesSchema.columns(db, name) }
            grown.add(columns.filter { sql.definition.column($0.name) == nil }, to: name)
        }
        return count
    }
}
