import DurableSQLite
import GRDB
import Metrics
import Moments

extension AuthorityStore {
    /// The maximum number of open flows that the gauge counts.
    static let flowsCounted = 10_000

    /// Updates the gauges that are read from the store on demand.
    public func measure() async {
        core.database.measure()
        let now = core.clock.now
        let numbers = try? await core.database.read { db in
            let flows = try db.rows(
                "SELECT id FROM flows WHERE is_open = 1 AND expires_wall > :wall LIMIT :limit",
                ["wall": now.wall, "limit": Self.flowsCounted]
            ).count
            return [
                ("authority_flows_open", Int64(flows)),
                ("authority_mails_waiting", try db.number("SELECT value FROM counts WHERE id = 'outbox'")),
                ("authority_audit_newest", try db.number("SELECT max(seq) FROM audit")),
            ]
        }
        for (name, number) in numbers ?? [] { Gauge(label: name).record(number) }
    }
}
