import GRDB

/// One step of a schema; a step that was shipped is never edited, moved or taken away.
public struct Migration: Sendable {
    /// Purpose, for people.
    public let name: String
    /// Statements, separated by semicolons.
    public let sql: String

    /// One step of a schema.
    public init(_ name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// The columns of a deadline within a `CREATE TABLE`; shipped steps have them, so they never change.
    public static func deadline(_ name: String) -> String {
        """
        \(name)_wall INTEGER NOT NULL,
            \(name)_boot INTEGER NOT NULL,
            \(name)_boot_id TEXT NOT NULL
        """
    }
}

/// The schema of a store: its version is the number of the last step that was taken.
struct Schema: Sendable {
    /// The number of the first step of every store.
    ///
    /// Lower numbers are of development versions before 0.1.0, which made their stores in smaller steps.
    static let first = 21
    /// What stands in the header of every store since that step (SQLite file format §1.3.7): "tokb".
    ///
    /// Some development versions had more than 20 steps, so the number alone does not tell their stores.
    static let mark = 0x746F_6B62

    let steps: [Migration]

    /// The version that a store has after the last step.
    var newest: Int { Self.first + steps.count - 1 }

    init(_ migrations: [Migration]) {
        steps = migrations
    }

    /// The version a database is at; nil if it is empty.
    static func version(_ db: Database) throws -> Int? {
        guard try db.tableExists("schema_version") else { return nil }
        return try Int.fetchOne(db, sql: "SELECT version FROM schema_version WHERE id = 1")
    }

    /// True if a development version before 0.1.0 made the database.
    static func isFormer(_ db: Database, version: Int) throws -> Bool {
        try version < first || Int.fetchOne(db, sql: "PRAGMA application_id") != mark
    }

    /// Takes the steps that are missing, each in a transaction of its own; `first` runs in the one that makes the tables.
    func migrate(_ db: Database, first: (Database) throws -> Void) throws {
        // The usual start: no step is left, so there is nothing to lock.
        if try Self.version(db) == newest { return }
        for (number, step) in zip(Self.first..., steps) {
            try db.inTransaction(.immediate) {
                let version = try Self.version(db)
                // Another process may have taken the step meanwhile.
                guard version ?? Self.first - 1 == number - 1 else { return .commit }
                if version == nil {
                    try db.execute(sql: "PRAGMA application_id = \(Self.mark)")
                    try db.execute(sql: Self.foundation)
                    try first(db)
                }
                try db.execute(sql: step.sql)
                try db.execute(
                    sql: """
                        INSERT INTO schema_version (id, version) VALUES (1, ?)
                        ON CONFLICT (id) DO UPDATE SET version = excluded.version
                        """,
                    arguments: [number]
                )
                return .commit
            }
        }
    }

    /// What every store has.
    static let foundation = """
        CREATE TABLE schema_version (
            id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
            version INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE key_check (
            id TEXT PRIMARY KEY NOT NULL CHECK (id = 'key'),
            sealed BLOB NOT NULL
        ) STRICT;
        CREATE TABLE damaged (
            id INTEGER PRIMARY KEY NOT NULL,
            table_name TEXT NOT NULL,
            row_key TEXT NOT NULL,
            column_name TEXT NOT NULL,
            sealed BLOB,
            at INTEGER NOT NULL
        ) STRICT;
        """
}
