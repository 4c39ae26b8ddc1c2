import DurableSQLite
import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore {
    /// People as providers outside know them.
    ///
    /// Issuer and subject are kept as a keyed hash, so that a database does not reveal who somebody is elsewhere.
    public struct Identities: Sendable {
        let core: Core

        /// The person of an identity; nil if there is none.
        public func user(issuer: String, subject: String) async throws(StoreError) -> UserRecord? {
            let mac = mac(issuer, subject)
            return try await core.database.find { db in
                guard let row = try db.row("SELECT user_id FROM identities WHERE mac = :mac", ["mac": mac]) else {
                    return nil
                }
                return try Users(core: core).find(db, UserID(oid: try row.get("user_id")))
            }
        }

        /// Adds an identity of a person; throws `nameTaken` if it is somebody's.
        func insert(_ db: Database, _ identity: FederatedIdentity, of user: UserID, at now: Moment) throws {
            let made = try db.run(
                """
                INSERT INTO identities (mac, user_id, provider, added_at) VALUES (:mac, :user, :provider, :at)
                ON CONFLICT (mac) DO NOTHING
                """,
                [
                    "mac": mac(identity.issuer, identity.subject), "user": user.oid, "provider": identity.provider,
                    "at": now.wall,
                ]
            )
            guard made > 0 else { throw StoreError(.nameTaken, "somebody has this identity") }
        }

        static func forget(_ db: Database, _ user: UserID) throws {
            try db.run("DELETE FROM identities WHERE user_id = :user", ["user": user.oid])
        }

        private func mac(_ issuer: String, _ subject: String) -> String {
            core.mac("identity", "\(issuer)\u{1F}\(subject)")
        }
    }
}
