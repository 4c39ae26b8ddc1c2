import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore {
    /// The users' identities at identity providers, stored as keyed hashes of issuer and subject.
    public struct Identities: Sendable {
        let core: Core

        /// Returns the user with this identity, or `nil` if no user has it.
        public func user(issuer: String, subject: String) async throws(StoreError) -> UserRecord? {
            let mac = mac(issuer, subject)
            return try await core.database.find { db in
                guard let row = try db.row("SELECT user_id FROM identities WHERE mac = :mac", ["mac": mac]) else {
                    return nil
                }
                return try Users(core: core).find(db, UserID(oid: try row.get("user_id")))
            }
        }

        /// Returns a user's identities, oldest first.
        public func list(of user: UserID) async throws(StoreError) -> [LinkedIdentity] {
            try await core.database.find { db in
                try db.rows("SELECT provider, added_at FROM identities WHERE user_id = :user", ["user": user.oid])
                    .map { LinkedIdentity(provider: try $0.get("provider"), addedAt: try $0.get("added_at")) }
                    .sorted { ($0.addedAt, $0.provider) < ($1.addedAt, $1.provider) }
            }
        }

        /// Unlinks a user's identities at a provider, and ends everything that depends on them.
        ///
        /// For all owners, this includes open flows, unredeemed grants, and sessions and families that rely on the
        /// provider.
        ///
        /// - Throws: `notFound` if there is no such identity, `disabled` if the user is disabled, or `consumed` if the
        ///   user has no other way to sign in. Then nothing has changed.
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
            guard gone > 0 else { throw StoreError(.notFound, "the user has no identity at this provider") }
            let left = try db.rows("SELECT provider FROM identities WHERE user_id = :user", ["user": user.oid])
                .map { try $0.get("provider") as String }
            guard ways.lead(in: person, identities: left) else {
                throw StoreError(.consumed, "the user has no other way to sign in")
            }
            try Sessions(core: core).end(db, provenBy: provider, of: user)
            try Families(core: core).revoke(db, provenBy: provider, of: user, reason: "unlinked", at: now)
            try FlowTable(core: core).close(db, user: user, at: now)
            try Requests.forget(db, user: user)
            try Codes.rows.forget(db, user: user)
            try DeviceCodes.rows.forget(db, user: user)
        }

        /// Links an identity to a user, which succeeds for only one of several concurrent attempts.
        ///
        /// - Throws: `nameTaken` if any user has the identity, or with `onlyOne` if this user has another at the
        ///   provider.
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
            guard made > 0 else { throw StoreError(.nameTaken, "a user already has this identity") }
        }

        static func forget(_ db: Database, _ user: UserID) throws {
            try db.run("DELETE FROM identities WHERE user_id = :user", ["user": user.oid])
        }

        private func mac(_ issuer: String, _ subject: String) -> String {
            core.mac("identity", "\(issuer)\u{1F}\(subject)")
        }
    }
}
