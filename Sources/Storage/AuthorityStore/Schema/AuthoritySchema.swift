import DurableSQLite

/// The authority's tables, with times in milliseconds since 1970 UTC.
///
/// A deadline has three columns: wall clock, time since boot, and the boot's id.
enum AuthoritySchema {
    /// The migration steps.
    ///
    /// After version 0.1.0 is released, add new steps only at the end.
    static let steps = [
        Migration("0.1.0", sql: [records, people, sessions, tokens].joined(separator: "\n")),
        Migration("repeated renewals", sql: repeatedRenewals),
    ]

    static let origin = """
        own TEXT,
            wider TEXT,
            widest TEXT,
            is_known INTEGER NOT NULL DEFAULT 0
        """

    private static let records = """
        CREATE TABLE epoch (
            id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
            value INTEGER NOT NULL
        ) STRICT;
        INSERT INTO epoch (id, value) VALUES (1, 1);

        CREATE TABLE counts (
            id TEXT PRIMARY KEY NOT NULL,
            value INTEGER NOT NULL
        ) STRICT;
        INSERT INTO counts (id, value) VALUES ('outbox', 0), ('logouts', 0);

        CREATE TABLE outbox (
            id TEXT PRIMARY KEY NOT NULL,
            mail BLOB NOT NULL,
            tries INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            \(Migration.deadline("next"))
        ) STRICT;
        CREATE INDEX outbox_next ON outbox (next_boot_id, next_boot);
        CREATE INDEX outbox_next_wall ON outbox (next_wall);
        CREATE TRIGGER outbox_added AFTER INSERT ON outbox BEGIN
            UPDATE counts SET value = value + 1 WHERE id = 'outbox';
        END;
        CREATE TRIGGER outbox_removed AFTER DELETE ON outbox BEGIN
            UPDATE counts SET value = value - 1 WHERE id = 'outbox';
        END;

        CREATE TABLE audit (
            seq INTEGER PRIMARY KEY NOT NULL,
            at INTEGER NOT NULL,
            event TEXT NOT NULL,
            owner TEXT,
            user_id TEXT,
            client TEXT,
            policy TEXT,
            correlation_id TEXT NOT NULL,
            pid INTEGER,
            detail TEXT NOT NULL
        ) STRICT;
        CREATE INDEX audit_owner ON audit (owner, seq);

        CREATE TABLE audit_owners (
            owner TEXT PRIMARY KEY NOT NULL,
            kept INTEGER NOT NULL,
            forgotten INTEGER NOT NULL
        ) STRICT;
        INSERT INTO audit_owners (owner, kept, forgotten) VALUES ('', 0, 0);
        CREATE INDEX audit_owners_kept ON audit_owners (kept);

        CREATE TABLE audit_budgets (
            owner TEXT NOT NULL,
            budget TEXT NOT NULL,
            ends INTEGER NOT NULL,
            used INTEGER NOT NULL,
            PRIMARY KEY (owner, budget)
        ) STRICT;
        CREATE INDEX audit_budgets_ends ON audit_budgets (ends);
        """
}
