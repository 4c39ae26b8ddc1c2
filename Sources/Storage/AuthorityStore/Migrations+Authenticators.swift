import DurableSQLite

extension Migrations {
    /// Authenticator apps, with the last time step whose code was taken, and the recovery codes beside them.
    static let authenticators = Migration(
        "authenticators and recovery codes",
        sql: """
            CREATE TABLE authenticators (
                user_id TEXT PRIMARY KEY NOT NULL,
                secret BLOB NOT NULL,
                step INTEGER NOT NULL,
                enrolled_at INTEGER NOT NULL
            ) STRICT;
            CREATE TABLE recovery_codes (
                mac TEXT PRIMARY KEY NOT NULL,
                user_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX recovery_codes_user ON recovery_codes (user_id);
            """
    )
}
