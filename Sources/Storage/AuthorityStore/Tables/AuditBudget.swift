import DurableSQLite
import FlowModel
import GRDB
import Moments
import OAuth

/// Limits how many events an owner can cause, so no owner can flood the audit log and displace other events.
///
/// Each ``FlowModel/AuditKind/Budget`` has its own limit. Events above the limit are not recorded. Instead, one event
/// after the end of the period contains their number.
enum AuditBudget {
    /// The maximum number of events per owner, budget and period.
    static let most: Int64 = 600
    /// The length of a period, which starts with its first event.
    static let period = Duration.seconds(60)

    static func admits(_ db: Database, _ event: AuditEvent, at now: Moment) throws -> Bool {
        guard let owner = event.owner, case .budget(let budget) = event.kind.bound else { return true }
        let row = try db.row(
            "SELECT ends, used FROM audit_budgets WHERE owner = :owner AND budget = :budget",
            arguments(owner.key, budget)
        )
        let longest = now.wall + period.milliseconds
        // Setting the clock back also ends the period.
        if let row, try row.get("ends") > now.wall, try row.get("ends") <= longest {
            try db.run(
                "UPDATE audit_budgets SET used = used + 1 WHERE owner = :owner AND budget = :budget",
                arguments(owner.key, budget)
            )
            return try row.get("used") < most
        }
        if let row { try tell(db, owner, budget.rawValue, used: try row.get("used"), at: now) }
        try db.run(
            """
            INSERT INTO audit_budgets (owner, budget, ends, used) VALUES (:owner, :budget, :ends, 1)
            ON CONFLICT (owner, budget) DO UPDATE SET ends = excluded.ends, used = 1
            """,
            arguments(owner.key, budget) + ["ends": longest]
        )
        return true
    }

    static func settle(_ db: Database, at now: Moment, limit: Int) throws {
        let ended = try db.rows(
            "SELECT owner, budget, used FROM audit_budgets WHERE ends <= :wall LIMIT :limit",
            ["wall": now.wall, "limit": limit]
        )
        for row in ended {
            let owner = try row.owner()
            let budget: String = try row.get("budget")
            try tell(db, owner, budget, used: try row.get("used"), at: now)
            try db.run(
                "DELETE FROM audit_budgets WHERE owner = :owner AND budget = :budget",
                ["owner": owner.key, "budget": budget]
            )
        }
    }

    private static func tell(
        _ db: Database,
        _ owner: Owner,
        _ budget: String,
        used: Int64,
        at now: Moment
    ) throws {
        guard used > most else { return }
        let event = AuditEvent(
            .auditSuppressed,
            owner: owner,
            correlationID: .random(),
            detail: ["count": "\(used - most)", "budget": budget]
        )
        try Audit.insert(db, event, at: now)
    }

    private static func arguments(_ owner: String, _ budget: AuditKind.Budget) -> StatementArguments {
        ["owner": owner, "budget": budget.rawValue]
    }

    private typealias Audit = AuthorityStore.Audit
}
