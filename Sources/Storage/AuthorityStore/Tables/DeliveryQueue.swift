import DurableSQLite
import GRDB
import Moments

/// A table of e-mail messages or sign-out notifications, each leased to one worker at a time.
///
/// A row has the key `id` and becomes due at `next`. The table `counts` contains the number of rows.
struct DeliveryQueue {
    static let isDue = """
        (next_boot_id = :boot_id AND next_boot <= :boot) OR (next_wall <= :wall AND next_boot_id <> :boot_id)
        """

    let table: String

    func lease(_ db: Database, _ id: String, for lease: Duration, at now: Moment) throws {
        try db.run(
            "UPDATE \(table) SET tries = tries + 1, \(Deadline.assignments("next")) WHERE id = :id",
            ["id": id] + Deadline(lease, after: now).arguments("next")
        )
    }

    func remove(_ db: Database, _ id: String) throws {
        try db.run("DELETE FROM \(table) WHERE id = :id", ["id": id])
    }

    func count(_ db: Database) throws -> Int64 {
        try db.number("SELECT value FROM counts WHERE id = :table", ["table": table])
    }
}
