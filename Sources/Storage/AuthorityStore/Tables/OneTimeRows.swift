import DurableSQLite
import FlowModel
import GRDB
import Moments
import OAuth
import Storage

/// The rules that tables of things good for one use share: authorization codes and device codes.
///
/// Their rows are keyed by `hash`, and end by `expires`.
struct OneTimeRows {
    /// The time for which a used code is known after its end, so that a second use still kills what it gave.
    static let rememberedFor = Duration.seconds(24 * 3600)

    /// The name of the table.
    let table: String
    /// The condition of a row that stands for a person and has given nothing yet.
    let isGranted: String

    /// Deletes the rows of an owner that have given nothing yet, for one person or for anybody.
    func forget(_ db: Database, owner: Owner, user: UserID?) throws {
        try db.run(
            "DELETE FROM \(table) WHERE \(OwnerSelection.condition(user)) AND \(isGranted)",
            OwnerSelection.arguments(owner, user)
        )
    }

    /// Deletes the rows for one person at all owners that have given nothing yet.
    func forget(_ db: Database, user: UserID) throws {
        try db.run("DELETE FROM \(table) WHERE user_id = :user AND \(isGranted)", ["user": user.oid])
    }

    /// Makes the family that the first use gives, within the transaction of that use.
    ///
    /// - Throws: `disabled` if the person may not sign in any more.
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

    /// Kills the family that the first use of a code gave, if it lives, since the code was used again (RFC 6749 §4.1.2).
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
