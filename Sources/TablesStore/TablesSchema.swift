import DurableSQLite
import GRDB
import Storage
import Tables

/// Makes and widens the database: a fixed part by migrations that are never edited, and the tables that the
/// configuration asks for.
enum TablesSchema {
    static let migrations = [Migration("clocks, columns, insertions", sql: first)]

    /// Makes the table or the columns that are missing.
    static func prepare(_ db: Database, _ table: TableSQL) throws {
        try db.execute(sql: table.create)
        let name = table.definition.name.lowercased()
        for column in table.definition.columns {
            let stored = try String.fetchOne(
                db,
                sql: "SELECT type FROM columns WHERE table_name = $1 AND name = $2",
                arguments: [name, column.name.lowercased()]
            )
            if stored == column.type.rawValue { continue }
            guard stored == nil else {
                let what = "column '\(column.name)' of table '\(table.definition.name)'"
                throw StoreError(.conflict, "\(what) holds values of type \(stored ?? ""), not \(column.type.rawValue)")
            }
            try db.execute(sql: table.add(column))
            try db.execute(
                sql: "INSERT INTO columns (table_name, name, type) VALUES ($1, $2, $3)",
                arguments: [name, column.name.lowercased(), column.type.rawValue]
            )
        }
        for index in table.indexes { try db.execute(sql: index) }
    }

    private static let first = """
        CREATE TABLE clocks (
            table_name TEXT NOT NULL, owner TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (table_name, owner)
        ) STRICT;
        CREATE TABLE columns (
            table_name TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, PRIMARY KEY (table_name, name)
        ) STRICT;
        CREATE TABLE insertions (
            table_name TEXT NOT NULL, owner TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL,
            row BLOB NOT NULL, ends_at INTEGER NOT NULL, PRIMARY KEY (table_name, owner, key)
        ) STRICT;
        CREATE INDEX insertions_by_end ON insertions (ends_at);
        """
}
