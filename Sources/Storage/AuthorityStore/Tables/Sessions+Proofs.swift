import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore.Sessions {
    /// Removes all of a user's authentications with the given credential for one owner.
    ///
    /// This affects sessions, families, authentications for tokens not yet issued, and remembered authentications. A
    /// session without authentications ends, a family no longer grants scopes that required the credential, and open
    /// flows end.
    public func forgetProofs(
        over credential: Credential,
        owner: Owner,
        user: UserID,
        events: [AuditEvent] = []
    ) async throws(StoreError) {
        let now = core.clock.now
        let families = AuthorityStore.Families(core: core)
        try await core.database.write { db in
            let sessions = try db.rows(
                "SELECT * FROM sessions WHERE \(OwnerSelection.condition(user))",
                OwnerSelection.arguments(owner, user)
            ).map(row)
            for session in sessions {
                let left = session.proofs.filter { $0.credential != credential }
                guard left.count < session.proofs.count else { continue }
                if left.isEmpty {
                    try db.run("DELETE FROM sessions WHERE id = :id", ["id": session.id])
                } else {
                    let proofs = try core.sealing.write(left, as: Self.proofs, row: session.id)
                    try db.run(
                        "UPDATE sessions SET proofs = :proofs WHERE id = :id",
                        ["id": session.id, "proofs": proofs]
                    )
                }
            }
            try AuthorityStore.RememberedProofs(core: core).forget(db, over: credential, of: user, at: owner)
            try families.forgetProofs(db, over: credential, owner: owner, user: user)
            try AuthorityStore.Requests.forget(db, owner: owner, user: user)
            try AuthorityStore.FlowTable(core: core).close(db, owner: owner, user: user, at: now)
            try AuthorityStore.Audit.append(db, events, at: now)
        }
    }
}

extension AuthorityStore.Sessions {
    func end(_ db: Database, provenBy provider: String, of user: UserID) throws {
        let sessions = try db.rows("SELECT * FROM sessions WHERE user_id = :user", ["user": user.oid]).map(row)
        for session in sessions where session.proofs.contains(where: { $0.check == provider }) {
            try db.run("DELETE FROM sessions WHERE id = :id", ["id": session.id])
        }
    }
}

extension AuthorityStore.Families {
    func revoke(
        _ db: Database,
        provenBy provider: String,
        of user: UserID,
        reason: String,
        at now: Moment
    ) throws {
        let held = try db.rows(
            "SELECT * FROM families WHERE user_id = :user AND revoked_at IS NULL",
            ["user": user.oid]
        ).map(row)
        for family in held where family.authentication.proofs.contains(where: { $0.check == provider }) {
            _ = try Self.revoke(db, family.id, reason: reason, at: now)
        }
    }

    fileprivate func forgetProofs(_ db: Database, over credential: Credential, owner: Owner, user: UserID) throws {
        let held = try db.rows(
            "SELECT * FROM families WHERE owner = :owner AND user_id = :user AND revoked_at IS NULL",
            ["owner": owner.key, "user": user.oid]
        ).map(row)
        for family in held {
            let before = family.authentication
            let left = before.proofs.filter { $0.credential != credential }
            guard left.count < before.proofs.count else { continue }
            let sealed = try core.sealing.write(before.with(proofs: left), as: Self.authentication, row: family.id)
            try db.run(
                "UPDATE families SET authentication = :authentication WHERE id = :id",
                ["id": family.id, "authentication": sealed]
            )
        }
    }
}
