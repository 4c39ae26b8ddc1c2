import DurableSQLite
import FlowModel
import GRDB
import Moments
import OAuth
import Origins

extension AuthorityStore.FlowTable {
    func admit(
        _ db: Database,
        _ flow: FlowRow,
        _ place: SharedRows.Place,
        _ limits: FlowCaps,
        at now: Moment
    ) throws -> FlowOpening {
        for rows in Self.shared(flow.owner, limits) {
            switch try rows.admission(db, place, at: now) {
            case .admitted: continue
            case .replacing(let id):
                try end(db, id, at: now)
                return .replaced
            case .refused: return .full(.ofAll, retryAfterMs: try rows.firstEnd(db, at: now))
            }
        }
        return .opened
    }

    private static func shared(_ owner: Owner, _ limits: FlowCaps) -> [SharedRows] {
        func rows(_ total: SharedTotal, _ condition: String) -> SharedRows {
            SharedRows(
                table: "flows",
                key: "id",
                total: total,
                isLive: "is_open = 1 AND expires_wall > :wall" + condition,
                isUnanswered: "user_id IS NULL"
            )
        }
        let all = rows(limits.shared, "")
        switch owner {
        case .local: return [all]
        case .browser: return [rows(limits.browsers, " AND owner >= 'browser:' AND owner < 'browser;'"), all]
        }
    }

    private func end(_ db: Database, _ id: String, at now: Moment) throws {
        let row = try db.row("SELECT owner, client, policy FROM flows WHERE id = :id AND is_open = 1", ["id": id])
        guard let row else { return }
        try close(db, "id = :id", ["id": id], at: now)
        let event = AuditEvent(
            .flowCancelled,
            owner: try row.owner(),
            client: try row.get("client") as String,
            policy: try row.get("policy") as String,
            correlationID: .random(),
            detail: ["reason": "more than a share"]
        )
        try AuthorityStore.Audit.append(db, [event], at: now)
    }
}
