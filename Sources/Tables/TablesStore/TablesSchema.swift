import DurableSQLite
import GRDB
import Storage
import Tables
import TablesSQL
import TablesSQLite

/// Creates the database's fixed tables with migration steps, and creates and extends the configured tables.
enum TablesSchema {
    /// The migration steps, which must not be changed after the release of 0.1.0, only extended by new steps.
    static let steps = [Migration("0.1.0", sql: tables)]

    /// Creates the table or adds its missing columns, and returns the stored columns that are not configured.
    ///
    /// Returns an empty array if the table's schema is not dynamic.
    static func prepare(_ db: Database, _ table: TableSQL) throws -> [TableColumn] {
        let definition = table.definition
        try db.execute(
            sql: "INSERT INTO tables (name, id_kind) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            arguments: [table.plainName, definition.idKind.rawValue]
        )
        let kind = try String.fetchOne(
            db,
            sql: "SELECT id_kind FROM tables WHERE name = $1",
            arguments: [table.plainName]
        )
        guard kind == definition.idKind.rawValue else {
            throw StoreError(.conflict, "the ids of table '\(definition.name)' are of type \(kind ?? "")")
        }
        try db.execute(sql: table.create)
        for trigger in table.triggers { try db.execute(sql: trigger) }
        for column in definition.columns { _ = try add(column, to: table, db) }
        for index in table.indexes { try db.execute(sql: index) }
        guard definition.isDynamic else { return [] }
        return try columns(db, table.plainName).filter { definition.column($0.name) == nil }
    }

    /// Adds a column if it does not exist, and returns it with its stored name.
    ///
    /// - Throws: `StoreError` `conflict` if the existing column has a different type.
    static func add(_ column: TableColumn, to table: TableSQL, _ db: Database) throws -> TableColumn {
        let name = column.name.lowercased()
        if let stored = try db.row(findColumn, [table.plainName, name]) {
            let (declared, type): (String, String) = (stored[0], stored[1])
            guard type == column.type.rawValue else {
                let what = "column '\(column.name)' of table '\(table.definition.name)'"
                throw StoreError(.conflict, "\(what) holds values of type \(type), not \(column.type.rawValue)")
            }
            return TableColumn(declared, column.type)
        }
        for statement in table.add(column) { try db.execute(sql: statement) }
        try db.execute(
            sql: "INSERT INTO columns (table_name, name, declared, type, sort_version) VALUES ($1, $2, $3, $4, $5)",
            arguments: [table.plainName, name, column.name, column.type.rawValue, SortKey.fingerprint]
        )
        return column
    }

    /// Adds the columns that a draft contains and its table lacks.
    ///
    /// Returns the table with the new columns, and the draft's values by stored column name, which can differ in case.
    static func grow(
        _ db: Database,
        _ sql: TableSQL,
        _ draft: RowDraft
    ) throws -> (TableSQL, [String: TableValue]) {
        let known = try columns(db, sql.plainName)
        var wide = TableSQL(try sql.definition.adding(known))
        for column in draft.added {
            guard let stored = wide.definition.column(column.name) else { continue }
            guard stored.type == column.type else {
                throw TableProblem(.wrongType(stored.name, stored.type), column: stored.name)
            }
        }
        wide = TableSQL(try wide.definition.adding(draft.added))
        for column in draft.added { _ = try add(column, to: wide, db) }
        var values: [String: TableValue] = [:]
        for (name, value) in draft.values { values[wide.definition.column(name)?.name ?? name] = value }
        return (wide, values)
    }

    static func columns(_ db: Database, _ table: String) throws -> [TableColumn] {
        try db.rows("SELECT declared, type FROM columns WHERE table_name = $1 ORDER BY rowid", [table]).compactMap {
            let (name, type): (String, String) = ($0[0], $0[1])
            return ColumnType(rawValue: type).map { TableColumn(name, $0) }
        }
    }

    private static let findColumn = "SELECT declared, type FROM columns WHERE table_name = $1 AND name = $2"

    /// The SQL of the first migration step, without the configured tables, whose columns can change.
    private static let tables = """
        CREATE TABLE clocks (
            table_name TEXT NOT NULL, owner TEXT NOT NULL, last INTEGER NOT NULL,
            last_id INTEGER NOT NULL DEFAULT 0, horizon INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (table_name, owner)
        ) STRICT;
        CREATE TABLE tables (
            name TEXT PRIMARY KEY NOT NULL, id_kind TEXT NOT NULL, seeded INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE columns (
            table_name TEXT NOT NULL, name TEXT NOT NULL, declared TEXT NOT NULL, type TEXT NOT NULL,
            sort_version INTEGER NOT NULL, PRIMARY KEY (table_name, name)
        ) STRICT;
        CREATE TABLE insertions (
            table_name TEXT NOT NULL, owner TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL,
            row BLOB NOT NULL, ends_at INTEGER NOT NULL, PRIMARY KEY (table_name, owner, key)
        ) STRICT;
        CREATE INDEX insertions_by_end ON insertions (ends_at);
        CREATE TABLE usage (owner TEXT PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
        CREATE TRIGGER u_insertions_insert AFTER INSERT ON insertions BEGIN
            INSERT INTO usage (owner, rows, bytes) VALUES (NEW.owner, 0, length(NEW.row))
            ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER u_insertions_update AFTER UPDATE ON insertions BEGIN
            UPDATE usage SET bytes = bytes + length(NEW.row) - length(OLD.row) WHERE owner = NEW.owner;
        END;
        CREATE TRIGGER u_insertions_delete AFTER DELETE ON insertions BEGIN
            UPDATE usage SET bytes = bytes - length(OLD.row) WHERE owner = OLD.owner;
        END;
        """
}
