import DurableSQLite
import GRDB
import Moments

/// A table of things to be delivered, each leased to one deliverer at a time: mails and sign-outs.
///
/// Its rows are keyed by `id`, and are due from `next` on; `counts` has their number.
struct DeliveryQueue {
    /// The condition of a row that is due.
    static let isDue = """
        (next_boot_id = :boot_id AND next_boot <= :boot) OR (next_wall <= :wall AND next_boot_id <> :boot_id)
        """

    /// The name of the table.
    let table: String

    /// Leases a row, so that no other worker takes it before the lease ends.
    func lease(_ db: Database, _ id: String, for lease: Duration, at now: Moment) throws {
        try db.run(
            "UPDATE \(table) SET tries = tries + 1, \(Deadline.assignments("next")) WHERE id = :id",
            ["id": id] + Deadline(lease, after: now).arguments("next")
        )
    }

    /// Deletes a row that was delivered or never can be.
    func remove(_ db: Database, _ id: String) throws {
        try db.run("DELETE FROM \(table) WHERE id = :id", ["id": id])
    }

    /// The number of rows.
    func count(_ db: Database) throws -> Int64 {
        try db.number("SELECT value FROM counts WHERE id = :table", ["table": table])
    }
}
