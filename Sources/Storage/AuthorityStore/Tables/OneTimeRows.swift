import DurableSQLite
import FlowModel
import GRDB
import Moments
import OAuth
import Storage

/// The rules for a table of authorization codes or device codes, each of which can be used once.
///
/// The table's key is `hash`, and its expiry time is `expires`.
struct OneTimeRows {
    /// How long a used code is stored after it has expired, so that another use revokes its token family.
    static let rememberedFor = Duration.seconds(24 * 3600)

    let table: String
    /// The SQL condition that selects rows that have a user and have not been redeemed.
    let isGranted: String

    func forget(_ db: Database, owner: Owner, user: UserID?) throws {
        try db.run(
            "DELETE FROM \(table) WHERE \(OwnerSelection.condition(user)) AND \(isGranted)",
            OwnerSelection.arguments(owner, user)
        )
    }

    func forget(_ db: Database, user: UserID) throws {
        try db.run("DELETE FROM \(table) WHERE user_id = :user AND \(isGranted)", ["user": user.oid])
    }

    /// Creates the token family for a code on its first use, or throws `disabled` if the user is disabled.
    static func give(
        _ db: Database,
        _ family: FamilyRow,
        to user: UserID,
        _ core: Core,
        _ events: [AuditEvent],
        _ correlationID: CorrelationID,
        at now: Moment
    ) throws {
        try AuthorityStore.Users.requireEnabled(db, user)
        try AuthorityStore.Families(core: core).insert(db, family, correlation: correlationID, at: now)
        try AuthorityStore.Audit.append(db, events, at: now)
    }

    /// Revokes the family of a code that was used again (RFC 6749 §4.1.2).
    static func revoke(
        _ db: Database,
        _ family: String,
        of code: (owner: Owner?, user: UserID?, client: String, policy: String),
        _ correlationID: CorrelationID,
        at now: Moment
    ) throws {
        guard try AuthorityStore.Families.revoke(db, family, reason: "code_reused", at: now) > 0 else { return }
        let event = AuditEvent(
            .familyRevoked,
            owner: code.owner,
            user: code.user,
            client: code.client,
            policy: code.policy,
            correlationID: correlationID,
            detail: ["reason": "code_reused"]
        )
        try AuthorityStore.Audit.append(db, [event], at: now)
    }
}
