import GRDB

/// One step that creates or updates a schema.
///
/// After its release, a step must never be edited, moved or removed.
public struct Migration: Sendable {
    /// The purpose of the step.
    public let name: String
    /// The statements, separated by semicolons.
    public let sql: String

    /// Creates one step of a schema.
    public init(_ name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// Returns the definitions of a deadline's columns.
    ///
    /// The definitions must never change, because released steps contain them.
    public static func deadline(_ name: String) -> String {
        """
        \(name)_wall INTEGER NOT NULL,
            \(name)_boot INTEGER NOT NULL,
            \(name)_boot_id TEXT NOT NULL
        """
    }
}

/// A store's schema, whose version is the number of the last applied step.
struct Schema: Sendable {
    /// The number of the first step, which is higher than the numbers used by development versions before 0.1.0.
    static let first = 21
    /// The application id "tokb" in a store's header (SQLite file format §1.3.7).
    ///
    /// Databases of early development versions do not contain it.
    static let mark = 0x746F_6B62

    let steps: [Migration]

    var newest: Int { Self.first + steps.count - 1 }

    init(_ migrations: [Migration]) {
        steps = migrations
    }

    static func version(_ db: Database) throws -> Int? {
        guard try db.tableExists("schema_version") else { return nil }
        return try Int.fetchOne(db, sql: "SELECT version FROM schema_version WHERE id = 1")
    }

    /// Whether a development version before 0.1.0 created the database.
    static func isFormer(_ db: Database, version: Int) throws -> Bool {
        try version < first || Int.fetchOne(db, sql: "PRAGMA application_id") != mark
    }

    /// Applies each missing step in its own transaction.
    ///
    /// For a new database, `first` is called in the transaction of the first step.
    func migrate(_ db: Database, first: (Database) throws -> Void) throws {
        // Usually, no step is missing, so no lock is necessary.
        if try Self.version(db) == newest { return }
        for (number, step) in zip(Self.first..., steps) {
            try db.inTransaction(.immediate) {
                let version = try Self.version(db)
                // Another process could have applied the step in the meantime.
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
