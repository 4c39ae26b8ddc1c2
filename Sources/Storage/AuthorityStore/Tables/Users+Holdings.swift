import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore.Users {
    /// How many valid sessions and families a user has across all owners.
    public struct Holdings: Hashable, Sendable {
        /// The number of sessions that have not ended.
        public let sessions: Int
        /// The number of refresh-token families that have not been revoked and have not expired.
        public let families: Int
    }

    /// Returns how many valid sessions and families a user has.
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
