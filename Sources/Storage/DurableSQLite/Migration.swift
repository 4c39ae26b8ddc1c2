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
}

extension Migration {
    /// First migration of every store.
    static let foundation = Migration(
        "foundation",
        sql: """
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
    )
}

/// The schema of a store: its version is the number of steps that were taken.
struct Schema: Sendable {
    let steps: [Migration]

    init(_ migrations: [Migration]) {
        steps = [.foundation] + migrations
    }

    /// The version a database is at; nil if it is empty.
    static func version(_ db: Database) throws -> Int? {
        guard try db.tableExists("schema_version") else { return nil }
        return try Int.fetchOne(db, sql: "SELECT version FROM schema_version WHERE id = 1")
    }

    /// Takes the steps that are missing, each in a transaction of its own; `first` runs in the one that makes the tables.
    func migrate(_ db: Database, first: (Database) throws -> Void) throws {
        // The usual start: no step is left, so there is nothing to lock.
        if try Self.version(db) == steps.count { return }
        for (index, step) in steps.enumerated() {
            try db.inTransaction(.immediate) {
                if try Self.version(db) == nil {
                    try db.execute(
                        sql: """
                            CREATE TABLE schema_version (
                                id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
                                version INTEGER NOT NULL
                            ) STRICT;
                            INSERT INTO schema_version (id, version) VALUES (1, 0);
                            """
                    )
                }
                // Another process may have taken the step meanwhile.
                guard try (Self.version(db) ?? 0) == index else { return .commit }
                try db.execute(sql: step.sql)
                if index == 0 { try first(db) }
                try db.execute(sql: "UPDATE schema_version SET version = ? WHERE id = 1", arguments: [index + 1])
                return .commit
            }
        }
    }
}
