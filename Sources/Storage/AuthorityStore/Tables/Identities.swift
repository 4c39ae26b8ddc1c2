import DurableSQLite
public import FlowModel
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

        /// The identities of a person, the oldest first.
        public func list(of user: UserID) async throws(StoreError) -> [LinkedIdentity] {
            try await core.database.find { db in
                try db.rows("SELECT provider, added_at FROM identities WHERE user_id = :user", ["user": user.oid])
                    .map { LinkedIdentity(provider: try $0.get("provider"), addedAt: try $0.get("added_at")) }
                    .sorted { ($0.addedAt, $0.provider) < ($1.addedAt, $1.provider) }
            }
        }

        /// Takes the identities of a person at a provider away, with everything that was had by them.
        ///
        /// Those are sessions and families that began with it, of all owners, open flows, and what was granted and is not
        /// fetched yet.
        ///
        /// - Parameters:
        ///   - provider: The provider's name.
        ///   - user: The person.
        ///   - ways: The ways to sign in that there are.
        ///   - events: The events to record.
        /// - Throws: `notFound` if there is no such identity; `consumed` if the person has no other way to sign in. Nothing
        ///   has changed then.
        public func remove(
            at provider: String,
            of user: UserID,
            ways: SignInMethods,
            events: [AuditEvent]
        ) async throws(StoreError) {
            try await core.database.write { db, now in
                try Users.requireEnabled(db, user)
                try remove(db, at: provider, of: user, ways: ways, at: now)
                try Audit.append(db, events, at: now)
            }
        }

        func remove(_ db: Database, at provider: String, of user: UserID, ways: SignInMethods, at now: Moment) throws {
            guard let person = try Users(core: core).find(db, user) else {
                throw StoreError(.notFound, "there is no such user")
            }
            let gone = try db.run(
                "DELETE FROM identities WHERE user_id = :user AND provider = :provider",
                ["user": user.oid, "provider": provider]
            )
            guard gone > 0 else { throw StoreError(.notFound, "the person has no identity at this provider") }
            let left = try db.rows("SELECT provider FROM identities WHERE user_id = :user", ["user": user.oid])
                .map { try $0.get("provider") as String }
            guard ways.lead(in: person, identities: left) else {
                throw StoreError(.consumed, "the person has no other way to sign in")
            }
            try Sessions(core: core).end(db, provenBy: provider, of: user)
            try Families(core: core).revoke(db, provenBy: provider, of: user, reason: "unlinked", at: now)
            try FlowTable(core: core).close(db, user: user, at: now)
            try Requests.forget(db, user: user)
            try Codes.rows.forget(db, user: user)
            try DeviceCodes.rows.forget(db, user: user)
        }

        /// Adds an identity of a person, in one statement that decides.
        ///
        /// - Parameters:
        ///   - db: The transaction.
        ///   - identity: The identity.
        ///   - user: The person.
        ///   - onlyOne: True if the person may have no other one at its provider.
        ///   - now: The time.
        /// - Throws: `nameTaken` if it is somebody's, or not the only one.
        func insert(
            _ db: Database,
            _ identity: FederatedIdentity,
            of user: UserID,
            onlyOne: Bool = false,
            at now: Moment
        ) throws {
            let made = try db.run(
                """
                INSERT INTO identities (mac, user_id, provider, added_at)
                SELECT :mac, :user, :provider, :at
                WHERE NOT (:only AND EXISTS (
                    SELECT 1 FROM identities WHERE user_id = :user AND provider = :provider
                ))
                ON CONFLICT (mac) DO NOTHING
                """,
                [
                    "mac": mac(identity.issuer, identity.subject), "user": user.oid, "provider": identity.provider,
                    "at": now.wall, "only": onlyOne,
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
