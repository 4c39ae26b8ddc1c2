import DurableSQLite

extension Migrations {
    /// People as providers outside know them, and browsers that are on their way to a provider.
    static let providers = Migration(
        "identities at providers, and departures to them",
        sql: """
            CREATE TABLE identities (
                mac TEXT PRIMARY KEY NOT NULL,
                user_id TEXT NOT NULL,
                provider TEXT NOT NULL,
                added_at INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX identities_user ON identities (user_id);

            CREATE TABLE departures (
                hash TEXT PRIMARY KEY NOT NULL,
                browser TEXT NOT NULL,
                body BLOB NOT NULL,
                expires_wall INTEGER NOT NULL,
                expires_boot INTEGER NOT NULL,
                expires_boot_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX departures_expires ON departures (expires_wall);
            """
    )
}
