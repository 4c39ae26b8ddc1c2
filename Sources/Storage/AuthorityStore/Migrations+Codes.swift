import DurableSQLite

extension Migrations {
    /// Authorization codes, of which only hashes are kept, and what a family made over HTTP has beside its scopes.
    static let codes = Migration(
        "authorization codes",
        sql: """
            CREATE TABLE codes (
                hash TEXT PRIMARY KEY NOT NULL,
                owner TEXT NOT NULL,
                user_id TEXT NOT NULL,
                client TEXT NOT NULL,
                policy TEXT NOT NULL,
                body BLOB NOT NULL,
                authentication BLOB NOT NULL,
                session_id TEXT,
                expires_wall INTEGER NOT NULL,
                expires_boot INTEGER NOT NULL,
                expires_boot_id TEXT NOT NULL,
                family TEXT
            ) STRICT;
            CREATE INDEX codes_expires ON codes (expires_wall);
            CREATE INDEX codes_owner ON codes (owner, user_id) WHERE family IS NULL;
            CREATE INDEX codes_user ON codes (user_id) WHERE family IS NULL;
            ALTER TABLE families ADD COLUMN resource TEXT;
            ALTER TABLE families ADD COLUMN spelled_scopes TEXT;
            """
    )
}
