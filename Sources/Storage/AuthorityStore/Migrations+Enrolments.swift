import DurableSQLite

extension Migrations {
    /// Credentials that a person has enrolled at one owner, such as a PIN.
    static let enrolments = Migration(
        "enrolled credentials",
        sql: """
            CREATE TABLE enrolments (
                id TEXT PRIMARY KEY NOT NULL,
                owner TEXT NOT NULL,
                user_id TEXT NOT NULL,
                credential TEXT NOT NULL,
                secret BLOB NOT NULL,
                enrolled_at INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX enrolments_user ON enrolments (user_id, owner);
            """
    )
}
