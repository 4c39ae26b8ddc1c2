import DurableSQLite
import FlowModel
import GRDB
import Moments

extension AuthorityStore.FlowTable {
    /// The time at which the first flow of a browser ends, if browsers have as many as they may; nil if there is room,
    /// or the owner is none.
    func browsersFull(
        _ db: Database,
        _ owner: Owner,
        _ limits: FlowCaps,
        at now: Moment
    ) throws -> Int64? {
        switch owner {
        case .local: return nil
        case .browser: break
        }
        let row = try db.row(
            """
            SELECT count(*) AS count, coalesce(min(expires_wall), 0) AS first FROM flows
            WHERE is_open = 1 AND expires_wall > :wall AND owner >= 'browser:' AND owner < 'browser;'
            """,
            ["wall": now.wall]
        )
        guard let row, try row.get("count") >= limits.browsers else { return nil }
        return try row.get("first")
    }
}
