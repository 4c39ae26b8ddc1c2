import DurableSQLite
import FlowModel
import GRDB
import Moments
import OAuth

/// A bound on the events that an owner may cause by mere requests, so that nobody fills the audit and drives out what
/// others did.
///
/// What goes beyond it is counted, and one event says how many were left out when the period has ended.
enum AuditBudget {
    /// How many such events one owner may cause in a period.
    static let most: Int64 = 600
    /// The period; it begins with its first event.
    static let period = Duration.seconds(60)
    /// Events that anybody who may call can cause without having proved anything.
    static let kinds: Set<String> = [
        "flow.started", "flow.cancelled", "flow.expired", "flow.failed", "step.expired", "signin.blocked",
        "signup.refused", "consent.denied", "operator.refused", "request.unanswerable",
    ]

    /// Whether an event is to be remembered by itself; what is not is counted.
    static func admits(_ db: Database, _ event: AuditEvent, at now: Moment) throws -> Bool {
        guard let owner = event.owner, kinds.contains(event.event) else { return true }
        let row = try db.row(
            "SELECT ends, used FROM audit_budgets WHERE owner = :owner",
            Whose.arguments(owner, nil)
        )
        let longest = now.wall + period.milliseconds
        // A wall clock that was set back ends the period, too.
        if let row, try row.get("ends") > now.wall, try row.get("ends") <= longest {
            try db.run(
                "UPDATE audit_budgets SET used = used + 1 WHERE owner = :owner",
                Whose.arguments(owner, nil)
            )
            return try row.get("used") < most
        }
        if let row { try tell(db, owner, used: try row.get("used"), at: now) }
        try db.run(
            """
            INSERT INTO audit_budgets (owner, ends, used) VALUES (:owner, :ends, 1)
            ON CONFLICT (owner) DO UPDATE SET ends = excluded.ends, used = 1
            """,
            Whose.arguments(owner, nil) + ["ends": longest]
        )
        return true
    }

    /// Ends periods that are over, and says what they left out.
    static func settle(_ db: Database, at now: Moment, limit: Int) throws {
        let ended = try db.rows(
            "SELECT owner, used FROM audit_budgets WHERE ends <= :wall LIMIT :limit",
            ["wall": now.wall, "limit": limit]
        )
        for row in ended {
            let owner = try row.owner()
            try tell(db, owner, used: try row.get("used"), at: now)
            try db.run(
                "DELETE FROM audit_budgets WHERE owner = :owner",
                Whose.arguments(owner, nil)
            )
        }
    }

    private static func tell(_ db: Database, _ owner: Owner, used: Int64, at now: Moment) throws {
        guard used > most else { return }
        let event = AuditEvent(
            "audit.suppressed",
            owner: owner,
            correlationID: .random(),
            detail: ["count": "\(used - most)"]
        )
        try Audit.insert(db, event, at: now)
    }

    private typealias Audit = AuthorityStore.Audit
}
