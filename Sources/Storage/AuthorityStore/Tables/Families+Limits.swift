import DurableSQLite
import FlowModel
import GRDB
import Moments
import OAuth
import Storage

extension AuthorityStore.Families {
    func supersede(_ db: Database, _ family: FamilyRow, at now: Moment) throws {
        let owner = family.owner
        try db.run(
            """
            UPDATE families SET revoked_at = :at, revoked_reason = 'superseded'
            WHERE revoked_at IS NULL AND id IN (
                SELECT id FROM families
                WHERE owner = :owner AND user_id = :user AND client = :client
                    AND policy = :policy AND revoked_at IS NULL
                ORDER BY created_at DESC LIMIT 1000000 OFFSET :kept
            )
            """,
            [
                "at": now.wall, "owner": owner.key, "user": family.user.oid,
                "client": family.client, "policy": family.policy, "kept": Self.greatestNumber - 1,
            ]
        )
        try Self.trim(db, owner)
    }

    func makeRoom(
        _ db: Database,
        _ family: FamilyRow,
        correlation: CorrelationID,
        at now: Moment
    ) throws {
        let owner = family.owner
        let whose: StatementArguments = ["owner": owner.key]
        let live = try db.number(
            "SELECT count(*) FROM families WHERE owner = :owner AND revoked_at IS NULL",
            whose
        )
        guard live >= Self.mostLive else { return }
        let ended = try db.rows(
            """
            UPDATE families SET revoked_at = :at, revoked_reason = 'limit'
            WHERE revoked_at IS NULL AND id IN (
                SELECT id FROM families WHERE owner = :owner AND revoked_at IS NULL
                ORDER BY expires_wall, created_at LIMIT :many
            )
            RETURNING user_id, client, policy
            """,
            whose + ["at": now.wall, "many": live - Int64(Self.mostLive) + 1]
        )
        let events = try ended.map { row in
            AuditEvent(
                .familyRevoked,
                owner: owner,
                user: UserID(oid: try row.get("user_id")),
                client: try row.get("client"),
                policy: try row.get("policy"),
                correlationID: correlation,
                detail: ["reason": "limit", "limit": "\(Self.mostLive)"]
            )
        }
        try AuthorityStore.Audit.append(db, events, at: now)
        try Self.trim(db, owner)
    }

    static func trim(_ db: Database, _ owner: Owner) throws {
        try db.run(
            """
            DELETE FROM families WHERE id IN (
                SELECT id FROM families
                WHERE owner = :owner AND revoked_at IS NOT NULL
                ORDER BY revoked_at DESC LIMIT 1000000 OFFSET :kept
            )
            """,
            ["owner": owner.key, "kept": mostRevoked]
        )
    }
}
