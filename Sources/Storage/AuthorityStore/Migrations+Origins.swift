import DurableSQLite

extension Migrations {
    /// The origins with a sign-in, and the levels of the origins of rows that all origins share.
    static let origins = Migration(
        "levels of origins",
        sql: """
            CREATE TABLE known_origins (
                mac TEXT PRIMARY KEY NOT NULL,
                widest TEXT NOT NULL,
                at INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX known_origins_widest ON known_origins (widest, at);
            CREATE INDEX known_origins_at ON known_origins (at);

            ALTER TABLE flows ADD COLUMN own TEXT;
            ALTER TABLE flows ADD COLUMN wider TEXT;
            ALTER TABLE flows ADD COLUMN widest TEXT;
            ALTER TABLE flows ADD COLUMN is_known INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX flows_widest ON flows (widest, is_open, expires_wall);

            ALTER TABLE device_codes ADD COLUMN own TEXT;
            ALTER TABLE device_codes ADD COLUMN wider TEXT;
            ALTER TABLE device_codes ADD COLUMN widest TEXT;
            ALTER TABLE device_codes ADD COLUMN is_known INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX device_codes_own ON device_codes (own, expires_wall);
            CREATE INDEX device_codes_widest ON device_codes (widest, expires_wall);
            CREATE INDEX device_codes_known ON device_codes (is_known, expires_wall);

            ALTER TABLE pushed_requests ADD COLUMN own TEXT;
            ALTER TABLE pushed_requests ADD COLUMN wider TEXT;
            ALTER TABLE pushed_requests ADD COLUMN widest TEXT;
            ALTER TABLE pushed_requests ADD COLUMN is_known INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX pushed_requests_own ON pushed_requests (own, expires_wall);
            CREATE INDEX pushed_requests_widest ON pushed_requests (widest, expires_wall);
            CREATE INDEX pushed_requests_known ON pushed_requests (is_known, expires_wall);
            """
    )
}
