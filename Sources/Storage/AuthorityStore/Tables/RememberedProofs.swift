import DurableSQLite
public import FlowModel
import Foundation
import GRDB
public import Moments
public import Storage

extension AuthorityStore {
    /// The users' remembered authentications, each of which belongs to one owner and expires.
    public struct RememberedProofs: Sendable {
        let core: Core

        /// The maximum number of remembered authentications per owner, beyond which the first to expire are removed.
        static let greatestNumber = 64

        /// Returns an owner's unexpired authentications in this tenant, newest first, limited to `user` if it is given.
        public func live(owner: Owner, user: UserID? = nil) async throws(StoreError) -> [RememberedProof] {
            let now = core.clock.now
            return try await core.database.find { db in
                try db.rows(
                    "SELECT * FROM remembered_proofs WHERE \(OwnerSelection.condition(user)) AND \(Tenancy.condition)",
                    OwnerSelection.arguments(owner, user) + core.tenancy
                ).map(row).filter { !$0.ends.hasEnded(at: now) }.sorted { $0.proof.at > $1.proof.at }
            }
        }

        /// Creates `session` from a remembered authentication, unless an equivalent session exists.
        ///
        /// A valid session of the same scope that contains the authentication is returned instead of a new one. Returns
        /// `nil` if the user is not remembered or is disabled. The events are recorded only for a new session.
        public func resume(
            _ remembered: RememberedProof,
            as session: SessionRow,
            events: [AuditEvent]
        ) async throws(StoreError) -> SessionRow? {
            try await core.database.write { db, now in
                let found = try db.row(
                    """
                    SELECT users.enabled FROM remembered_proofs JOIN users ON users.id = remembered_proofs.user_id
                    WHERE remembered_proofs.id = :id AND remembered_proofs.owner = :owner
                        AND remembered_proofs.user_id = :user
                    """,
                    ["id": remembered.id, "owner": session.owner.key, "user": session.user.oid]
                )
                guard let found, try found.get("enabled") else { return nil }
                let sessions = Sessions(core: core)
                let held = try sessions.live(db, owner: session.owner, user: session.user, at: now).first {
                    $0.reach == session.reach && $0.holds(remembered.proof)
                }
                if let held { return held }
                try sessions.upsert(db, session)
                try Audit.append(db, events, at: now)
                return session
            }
        }

        /// Deletes expired authentications.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("remembered_proofs", "ends_wall", limit: limit)
        }

        func remember(
            _ db: Database,
            _ proof: Proof,
            for life: Duration,
            like session: SessionRow,
            at now: Moment
        ) throws {
            let id = UUID().uuidString
            try db.insert(
                into: "remembered_proofs",
                [
                    "id": id, "owner": session.owner.key, "user_id": session.user.oid, "check_name": proof.check,
                    "proof": try core.sealing.write(proof, as: Self.proof, row: id), "policy": session.policy,
                    "client": session.client, "scope": session.scope.rawValue, "reach": session.reach,
                    "tenant": core.tenant,
                ] + Deadline(life, after: now).columns("ends"),
                replacing: true
            )
            try db.run(
                """
                DELETE FROM remembered_proofs WHERE id IN (
                    SELECT id FROM remembered_proofs WHERE owner = :owner ORDER BY ends_wall DESC LIMIT -1 OFFSET :most
                )
                """,
                ["owner": session.owner.key, "most": Self.greatestNumber]
            )
        }

        /// Moves one user's remembered authentications to another owner, and removes those of other users.
        static func handOver(_ db: Database, from owner: Owner, to heir: Owner, of user: UserID) throws {
            try db.run(
                "UPDATE OR IGNORE remembered_proofs SET owner = :heir WHERE owner = :owner AND user_id = :user",
                ["owner": owner.key, "heir": heir.key, "user": user.oid]
            )
            try forget(db, owner: owner)
        }

        func forget(
            _ db: Database,
            over credential: Credential,
            of user: UserID,
            at owner: Owner,
            countingFor session: SessionRow? = nil
        ) throws {
            let kept = try db.rows(
                "SELECT * FROM remembered_proofs WHERE \(OwnerSelection.condition(user))",
                OwnerSelection.arguments(owner, user)
            ).map(row)
            for remembered in kept where remembered.proof.credential == credential {
                if let session, !remembered.counts(for: session) { continue }
                try db.run("DELETE FROM remembered_proofs WHERE id = :id", ["id": remembered.id])
            }
        }

        @discardableResult
        static func forget(_ db: Database, owner: Owner, user: UserID? = nil) throws -> Int {
            try db.run(
                "DELETE FROM remembered_proofs WHERE \(OwnerSelection.condition(user))",
                OwnerSelection.arguments(owner, user)
            )
        }

        static func forget(_ db: Database, _ user: UserID) throws {
            try db.run("DELETE FROM remembered_proofs WHERE user_id = :user", ["user": user.oid])
        }

        static let proof = SealedColumn("remembered_proofs", "proof")

        @Sendable private func row(_ row: Row) throws -> RememberedProof {
            guard let scope = SessionScope(rawValue: try row.get("scope")) else {
                throw StoreError(.corrupt, "the scope of a remembered proof is unknown")
            }
            return RememberedProof(
                id: try row.get("id"),
                owner: try row.owner(),
                user: UserID(oid: try row.get("user_id")),
                proof: try core.sealing.read(Self.proof, of: row),
                policy: try row.get("policy"),
                client: try row.get("client"),
                scope: scope,
                ends: try row.deadline("ends")
            )
        }
    }
}

extension RememberedProof {
    /// Whether this authentication is accepted instead of a sign-in for the session's client and policy.
    fileprivate func counts(for session: SessionRow) -> Bool {
        switch scope {
        case .tenant: true
        case .application: client == session.client
        case .policy: policy == session.policy
        case .none: false
        }
    }
}

extension SessionRow {
    fileprivate func holds(_ proof: Proof) -> Bool {
        proofs.contains { $0.check == proof.check && $0.at == proof.at }
    }
}

/// An authentication that signs a user in again without a prompt, because the user chose to be remembered.
public struct RememberedProof: Hashable, Sendable {
    /// The random id of the remembered authentication.
    public let id: String
    /// The owner for which the user authenticated.
    public let owner: Owner
    /// The user's id.
    public let user: UserID
    /// The authentication, stored encrypted.
    public let proof: Proof
    /// The policy of the session for which the user authenticated.
    public let policy: String
    /// The `client_id` of the session for which the user authenticated.
    public let client: String
    /// The scope of the session for which the user authenticated.
    public let scope: SessionScope
    /// When the authentication expires.
    public let ends: Deadline
}
