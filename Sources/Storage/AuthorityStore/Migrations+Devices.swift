import DurableSQLite

extension Migrations {
    /// Devices at which people have proved a second factor.
    static let devices = Migration(
        "known devices",
        sql: """
            CREATE TABLE devices (
                mac TEXT PRIMARY KEY NOT NULL,
                user_id TEXT NOT NULL,
                ends_wall INTEGER NOT NULL,
                ends_boot INTEGER NOT NULL,
                ends_boot_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX devices_user ON devices (user_id, ends_wall);
            CREATE INDEX devices_ends ON devices (ends_wall);
            """
    )
}
