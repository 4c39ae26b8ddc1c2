import DurableSQLite

extension Migrations {
    /// Flows that are continued by the pages of a browser.
    static let tickets = Migration(
        "tickets of flows in browsers",
        sql: """
            CREATE TABLE tickets (
                hash TEXT PRIMARY KEY NOT NULL,
                owner TEXT NOT NULL,
                browser TEXT,
                body BLOB NOT NULL,
                expires_wall INTEGER NOT NULL,
                expires_boot INTEGER NOT NULL,
                expires_boot_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX tickets_expires ON tickets (expires_wall);
            """
    )
}
