import DurableSQLite

extension Migrations {
    /// Rows that programs leave at the authority over HTTP: pushed requests, device codes, and ids that are good for one use.
    static let programs = Migration(
        "pushed requests, device codes and spent ids",
        sql: """
            CREATE TABLE pushed_requests (
                hash TEXT PRIMARY KEY NOT NULL,
                origin TEXT NOT NULL,
                client TEXT NOT NULL,
                policy TEXT NOT NULL,
                body BLOB NOT NULL,
                expires_wall INTEGER NOT NULL,
                expires_boot INTEGER NOT NULL,
                expires_boot_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX pushed_requests_expires ON pushed_requests (expires_wall);
            CREATE INDEX pushed_requests_origin ON pushed_requests (origin, expires_wall);

            CREATE TABLE device_codes (
                hash TEXT PRIMARY KEY NOT NULL,
                user_code TEXT NOT NULL,
                origin TEXT NOT NULL,
                client TEXT NOT NULL,
                policy TEXT NOT NULL,
                body BLOB NOT NULL,
                state TEXT NOT NULL,
                owner TEXT,
                user_id TEXT,
                authentication BLOB,
                session_id TEXT,
                interval INTEGER NOT NULL,
                next_wall INTEGER NOT NULL,
                next_boot INTEGER NOT NULL,
                next_boot_id TEXT NOT NULL,
                expires_wall INTEGER NOT NULL,
                expires_boot INTEGER NOT NULL,
                expires_boot_id TEXT NOT NULL,
                family TEXT
            ) STRICT;
            CREATE UNIQUE INDEX device_codes_user_code ON device_codes (user_code);
            CREATE INDEX device_codes_expires ON device_codes (expires_wall);
            CREATE INDEX device_codes_origin ON device_codes (origin, expires_wall);
            CREATE INDEX device_codes_owner ON device_codes (owner, user_id) WHERE state = 'approved';
            CREATE INDEX device_codes_user ON device_codes (user_id) WHERE state = 'approved';

            CREATE TABLE spent_ids (
                id TEXT PRIMARY KEY NOT NULL,
                ends INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX spent_ids_ends ON spent_ids (ends);
            """
    )

    /// The client of each spent id, so that each has a share; the rows of earlier versions count for none.
    static let sharesOfSpentIDs = Migration(
        "shares of spent ids",
        sql: """
            ALTER TABLE spent_ids ADD COLUMN client TEXT;
            CREATE INDEX spent_ids_client ON spent_ids (client);
            """
    )
}
