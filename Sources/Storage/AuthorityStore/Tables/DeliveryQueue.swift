import DurableSQLite
import GRDB
import Moments

/// A table of e-mail messages or sign-out notifications to deliver.
///
/// A row is leased to one worker at a time.
///
/// Each row has the key `id` and is due from the time `next`. The table `counts` contains the number of rows.
struct DeliveryQueue {
    /// The SQL condition of a row that is due.
    static let isDue = """
        (next_boot_id = :boot_id AND next_boot <= :boot) OR (next_wall <= :wall AND next_boot_id <> :boot_id)
        """

    /// The name of the table.
    let table: String

    /// Leases a row, so no other worker takes it before the lease expires.
    func lease(_ db: Database, _ id: String, for lease: Duration, at now: Moment) throws {
        try db.run(
            "UPDATE \(table) SET tries = tries + 1, \(Deadline.assignments("next")) WHERE id = :id",
            ["id": id] + Deadline(lease, after: now).arguments("next")
        )
    }

    /// Deletes a row that was delivered or cannot be delivered.
    func remove(_ db: Database, _ id: String) throws {
        try db.run("DELETE FROM \(table) WHERE id = :id", ["id": id])
    }

    /// Returns the number of rows.
    func count(_ db: Database) throws -> Int64 {
        try db.number("SELECT value FROM counts WHERE id = :table", ["table": table])
    }
}
