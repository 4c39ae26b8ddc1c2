import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore.Users {
    /// Counts of a person's live sessions and families, of all owners.
    public struct Holdings: Hashable, Sendable {
        /// Sessions that have not ended.
        public let sessions: Int
        /// Refresh-token families that were not revoked and have not ended.
        public let families: Int
    }

    /// Counts the sessions and families of a person that an operator may want to end.
    public func holdings(of id: UserID) async throws(StoreError) -> Holdings {
        let now = core.clock.now
        return try await core.database.read { db in
            let sessions = try db.number(
                "SELECT count(*) FROM sessions WHERE user_id = :user AND ends_wall > :wall AND absolute_wall > :wall",
                ["user": id.oid, "wall": now.wall]
            )
            let families = try db.number(
                """
                SELECT count(*) FROM families
                WHERE user_id = :user AND revoked_at IS NULL AND expires_wall > :wall AND window_wall > :wall
                """,
                ["user": id.oid, "wall": now.wall]
            )
            return Holdings(sessions: Int(sessions), families: Int(families))
        }
    }
}
