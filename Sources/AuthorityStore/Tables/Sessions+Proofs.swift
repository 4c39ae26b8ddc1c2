import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore.Sessions {
    /// Takes the proofs over a credential out of everything that an owner holds of a person.
    ///
    /// Those are sessions and families, and authentications for tokens not yet issued. A session without any proof left
    /// ends; a family gives no scope any more that asked for the credential.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - owner: The owner.
    ///   - user: The person.
    ///   - events: The events to record.
    /// - Throws: The error that kept the store from writing; nothing has changed then.
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
                "SELECT * FROM sessions WHERE \(Whose.condition(user))",
                Whose.arguments(owner, user)
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
            try families.forgetProofs(db, over: credential, owner: owner, user: user)
            try AuthorityStore.Requests.forget(db, owner: owner, user: user)
            try AuthorityStore.Audit.append(db, events, at: now)
        }
    }
}

extension AuthorityStore.Families {
    fileprivate func forgetProofs(_ db: Database, over credential: Credential, owner: Owner, user: UserID) throws {
        let held = try db.rows(
            "SELECT * FROM families WHERE owner = :owner AND user_id = :user AND revoked_at IS NULL",
            ["owner": owner.key, "user": user.oid]
        ).map(row)
        for family in held {
            let before = family.authentication
            let left = before.proofs.filter { $0.credential != credential }
            guard left.count < before.proofs.count else { continue }
            let authentication = Authentication(
                user: before.user,
                proofs: left,
                consented: before.consented,
                isNewUser: before.isNewUser
            )
            let sealed = try core.sealing.write(authentication, as: Self.authentication, row: family.id)
            try db.run(
                "UPDATE families SET authentication = :authentication WHERE id = :id",
                ["id": family.id, "authentication": sealed]
            )
        }
    }
}
