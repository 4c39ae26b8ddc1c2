import DurableSQLite

extension Migrations {
    /// Credentials that are not taken any more, unless the answer that was looked at last turns out to be right.
    static let withheld = Migration(
        "withheld credentials",
        sql: "ALTER TABLE enrolments ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;"
    )
}
