import DurableSQLite
import GRDB
public import Storage
public import Tables
import TablesSQLite

extension TablesStore {
    /// Access to the columns of all tables in the database.
    public var storedColumns: StoredColumns { StoredColumns(database: database) }
}

/// Access to the columns of all tables in the database, including tables and columns that are not configured.
public struct StoredColumns: Sendable {
    let database: DurableDatabase

    /// Returns all columns of a table, oldest first, or `nil` if the database does not have the table.
    public func all(of table: String) async throws(StoreError) -> [TableColumn]? {
        let name = table.lowercased()
        return try await database.read { db in
            try Self.isTable(db, name) ? try TablesSchema.columns(db, name) : nil
        }
    }

    /// Drops a column with all its values, and returns whether the database had the column.
    ///
    /// The caller must ensure that no other process has the store open, because that process would continue to write to
    /// the column.
    public func drop(_ column: String, of table: String) async throws(StoreError) -> Bool {
        let name = table.lowercased()
        return try await database.write { db in
            let stored = try Self.isTable(db, name) ? try TablesSchema.columns(db, name) : []
            guard let column = stored.first(where: { $0.name.lowercased() == column.lowercased() }),
                let sql = (try? TableDeclaration(name, columns: [])).map(TableSQL.init)
            else { return false }
            for statement in sql.drop(column) { try db.execute(sql: statement) }
            try db.run("DELETE FROM columns WHERE table_name = $1 AND name = $2", [name, column.name.lowercased()])
            return true
        }
    }

    private static func isTable(_ db: Database, _ name: String) throws -> Bool {
        try db.number("SELECT EXISTS (SELECT 1 FROM tables WHERE name = $1)", [name]) == 1
    }
}
