import DurableSQLite

extension Migrations {
    /// The tenant that a row was made for; NULL in rows from before, which every tenant takes.
    static let tenants = Migration(
        "tenants of what was given",
        sql: """
            ALTER TABLE codes ADD COLUMN tenant TEXT;
            ALTER TABLE device_codes ADD COLUMN tenant TEXT;
            ALTER TABLE pushed_requests ADD COLUMN tenant TEXT;
            ALTER TABLE families ADD COLUMN tenant TEXT;
            ALTER TABLE sessions ADD COLUMN tenant TEXT;
            ALTER TABLE remembered_proofs ADD COLUMN tenant TEXT;
            ALTER TABLE requests ADD COLUMN tenant TEXT;
            ALTER TABLE tickets ADD COLUMN tenant TEXT;
            """
    )
}
