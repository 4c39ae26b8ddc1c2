import DurableSQLite
import GRDB
import Metrics

extension TokenCache {
    /// Updates the gauges that describe the cache, for each scrape of the metrics.
    public func measure() async {
        core.database.measure()
        let (all, open) = core.vaults.counts
        Gauge(label: "cache_locks", dimensions: [("state", "open")]).record(open)
        Gauge(label: "cache_locks", dimensions: [("state", "locked")]).record(all - open)
        let waiting = try? await core.database.read { db in
            try db.number("SELECT value FROM counts WHERE id = 'pending_sign_outs'")
        }
        if let waiting { Gauge(label: "cache_sign_outs_waiting").record(waiting) }
    }
}
