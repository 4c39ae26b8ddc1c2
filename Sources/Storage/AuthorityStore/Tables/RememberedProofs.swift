import DurableSQLite
public import FlowModel
import Foundation
import GRDB
public import Moments
public import Storage

extension AuthorityStore {
    /// The proofs by which people are remembered where they gave them, each for a time.
    public struct RememberedProofs: Sendable {
        let core: Core

        /// The greatest number of proofs of one owner; the ones that end first are forgotten.
        static let greatestNumber = 64

        /// The proofs of an owner that count at this tenant, or of one person at that owner, the newest first.
        public func live(owner: Owner, user: UserID? = nil) async throws(StoreError) -> [RememberedProof] {
            let now = core.clock.now
            return try await core.database.find { db in
                try db.rows(
                    "SELECT * FROM remembered_proofs WHERE \(OwnerSelection.condition(user)) AND \(Tenancy.condition)",
                    OwnerSelection.arguments(owner, user) + core.tenancy
                ).map(row).filter { !$0.ends.hasEnded(at: now) }.sorted { $0.proof.at > $1.proof.at }
            }
        }

        /// Makes the session of a remembered person, unless a live one with the same proof and reach is there already.
        ///
        /// - Parameters:
        ///   - remembered: The proof.
        ///   - session: The session, of the same owner and person.
        ///   - events: The events to record if the session is made.
        /// - Returns: The session that is there; nil if the person is not remembered any more, or may not sign in.
        ///   Nothing has changed unless it is `session`.
        /// - Throws: The error that kept the store from writing.
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

        /// Deletes proofs that do not count any more.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("remembered_proofs", "ends_wall", limit: limit)
        }

        /// Remembers a person by a proof, where and as widely as the session counts that it was given for.
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

        /// Hands the proofs of one person over to another owner, and forgets everybody else's.
        static func handOver(_ db: Database, from owner: Owner, to heir: Owner, of user: UserID) throws {
            try db.run(
                "UPDATE OR IGNORE remembered_proofs SET owner = :heir WHERE owner = :owner AND user_id = :user",
                ["owner": owner.key, "heir": heir.key, "user": user.oid]
            )
            try forget(db, owner: owner)
        }

        /// Forgets the proofs over a credential that a person gave at an owner; with a session only those that count for
        /// the requests that it was made for.
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

        /// Forgets the proofs of an owner, or of one person there; returns how many there were.
        @discardableResult
        static func forget(_ db: Database, owner: Owner, user: UserID? = nil) throws -> Int {
            try db.run(
                "DELETE FROM remembered_proofs WHERE \(OwnerSelection.condition(user))",
                OwnerSelection.arguments(owner, user)
            )
        }

        /// Forgets the proofs of a person, at all owners.
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
    /// True if a sign-in for a session's client by its policy may go by this proof instead.
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
    /// True if it rests on a proof: the same check, at the same time.
    fileprivate func holds(_ proof: Proof) -> Bool {
        proofs.contains { $0.check == proof.check && $0.at == proof.at }
    }
}

/// A proof by which a person is signed in again without a question, because they asked to be remembered.
public struct RememberedProof: Hashable, Sendable {
    /// The id: random text.
    public let id: String
    /// The owner at which the person gave it.
    public let owner: Owner
    /// The person who gave it.
    public let user: UserID
    /// The proof; sealed.
    public let proof: Proof
    /// The policy of the session that it was given for.
    public let policy: String
    /// The client of that session.
    public let client: String
    /// The reach of that session.
    public let scope: SessionScope
    /// The end of the time for which it is remembered.
    public let ends: Deadline
}
