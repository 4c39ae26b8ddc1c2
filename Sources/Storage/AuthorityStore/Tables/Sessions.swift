import DurableSQLite
public import FlowModel
import Foundation
import GRDB
import Moments
public import Storage

extension AuthorityStore {
    /// The table of sessions.
    public struct Sessions: Sendable {
        let core: Core

        /// The maximum number of sessions per owner, beyond which the oldest sessions end.
        public static let greatestNumber = 64

        /// The minimum time by which use extends a session, so frequent use does not cause frequent writes.
        static let leastProlonging: Duration = .seconds(1)

        /// Returns an owner's valid sessions in this tenant, newest first, limited to `user` if it is given.
        public func live(owner: Owner, user: UserID? = nil) async throws(StoreError) -> [SessionRow] {
            let now = core.clock.now
            return try await core.database.find(isOneStatement: true) { db in
                try live(db, owner: owner, user: user, at: now)
            }
        }

        func live(_ db: Database, owner: Owner, user: UserID?, at now: Moment) throws -> [SessionRow] {
            try db.rows(
                """
                SELECT * FROM sessions WHERE \(OwnerSelection.condition(user)) AND \(Tenancy.condition)
                ORDER BY created_at DESC
                """,
                OwnerSelection.arguments(owner, user) + core.tenancy
            ).map(row).filter { $0.isLive(at: now) }
        }

        /// Returns the session that a flow continues, or throws `expired` if the session has ended.
        ///
        /// The session belongs to the flow's owner or, if another flow in the browser has changed the cookie meanwhile,
        /// to the owner of the new cookie. The browser must present the new cookie, because another party could know
        /// the old one.
        func requireLive(
            _ db: Database,
            _ id: String,
            owners: [Owner],
            user: UserID?,
            at now: Moment
        ) throws -> SessionRow {
            for owner in owners {
                let found = try live(db, owner: owner, user: user, at: now).first { $0.id == id }
                if let found { return found }
            }
            throw StoreError(.expired, "the session has ended")
        }

        /// Ends everything that belongs to an owner, limited to one user if `user` is given, and returns what it ended.
        ///
        /// This includes sessions, families, open flows, authentications for tokens not yet issued, and remembered
        /// authentications. `revoked` returns the event to record for each revoked family.
        @discardableResult
        public func signOut(
            owner: Owner,
            user: UserID?,
            events: [AuditEvent] = [],
            revoked: (@Sendable (RevokedFamily) -> AuditEvent)? = nil
        ) async throws(StoreError) -> Removed {
            try await core.database.write { db, now in
                let (sessions, _, flows) = try end(db, owner: owner, user: user, at: now)
                let families = try Families.revoke(db, owner: owner, user: user, reason: "signed_out", at: now)
                try Requests.forget(db, owner: owner, user: user)
                try Codes.rows.forget(db, owner: owner, user: user)
                try DeviceCodes.rows.forget(db, owner: owner, user: user)
                if let revoked { try Audit.append(db, families.map(revoked), at: now) }
                try Audit.append(db, events, at: now)
                return Removed(sessions: sessions, families: families.count, flows: flows)
            }
        }

        /// Moves a browser's sessions from its old cookie to its new one, and ends its sessions of other users.
        ///
        /// Every sign-in changes the cookie, so an earlier cookie that another party knows is useless (RFC 9700
        /// §4.7.1).
        public func handOver(_ handOvers: [SessionHandOver]) async throws(StoreError) {
            try await core.database.write { db in
                for handOver in handOvers { try Self.handOver(db, handOver) }
            }
        }

        static func handOver(_ db: Database, _ change: SessionHandOver) throws {
            let (owner, heir) = (change.owner, change.heir)
            try db.run(
                "UPDATE sessions SET owner = :heir WHERE owner = :owner AND user_id = :user",
                ["owner": owner.key, "heir": heir.key, "user": change.user.oid]
            )
            try db.run("DELETE FROM sessions WHERE owner = :owner", ["owner": owner.key])
            if change.remembers {
                try RememberedProofs.handOver(db, from: owner, to: heir, of: change.user)
            } else {
                try RememberedProofs.forget(db, owner: owner)
            }
            guard let kept = change.kept else { return }
            try db.run(
                """
                UPDATE sessions SET \(Deadline.assignments("ends")), \(Deadline.assignments("absolute"))
                WHERE id = :id AND owner = :heir
                """,
                ["id": kept.session, "heir": heir.key] + kept.until.arguments("ends")
                    + kept.until.arguments("absolute")
            )
        }

        /// Ends an owner's sessions, open flows and remembered authentications, but not families or unredeemed grants.
        public func end(owner: Owner, events: [AuditEvent]) async throws(StoreError) {
            try await core.database.write { db, now in
                let ended = try end(db, owner: owner, user: nil, at: now)
                guard ended.sessions + ended.remembered > 0 else { return }
                try Audit.append(db, events, at: now)
            }
        }

        /// Ends sessions of an owner, or of one `user`, and the remembered authentications and flows that restore them.
        func end(
            _ db: Database,
            owner: Owner,
            user: UserID?,
            at now: Moment
        ) throws -> (sessions: Int, remembered: Int, flows: Int) {
            let (theirs, arguments) = (OwnerSelection.condition(user), OwnerSelection.arguments(owner, user))
            // These records also cancel flows that started in this browser but have a different owner.
            for row in try db.rows("SELECT DISTINCT user_id FROM sessions WHERE \(theirs)", arguments) {
                try SignOuts.mark(db, owner: owner, user: UserID(oid: try row.get("user_id")), at: now)
            }
            let sessions = try db.run("DELETE FROM sessions WHERE \(theirs)", arguments)
            let remembered = try RememberedProofs.forget(db, owner: owner, user: user)
            return try (sessions, remembered, FlowTable(core: core).close(db, owner: owner, user: user, at: now))
        }

        /// Deletes expired sessions.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.database.write { db, now in
                // When a session expires, the user has not signed out, so clients are not notified.
                try db.run(
                    """
                    DELETE FROM session_clients WHERE session_id IN (
                        SELECT id FROM sessions WHERE ends_wall <= :wall LIMIT :limit
                    )
                    """,
                    ["wall": now.wall, "limit": limit]
                )
                return try db.sweep("sessions", "ends_wall", upTo: now.wall, limit: limit)
            }
        }

        func upsert(_ db: Database, _ session: SessionRow) throws {
            let changed = try db.insert(
                into: "sessions",
                [
                    "id": session.id, "owner": session.owner.key, "user_id": session.user.oid,
                    "proofs": try core.sealing.write(session.proofs, as: Self.proofs, row: session.id),
                    "policy": session.policy, "client": session.client, "scope": session.scope.rawValue,
                    "created_at": session.createdAt, "tenant": core.tenant,
                ] + session.ends.columns("ends") + session.absoluteEnd.columns("absolute"),
                onConflict: """
                    (id) DO UPDATE SET proofs = excluded.proofs, \(Deadline.excluded("ends"))
                    WHERE sessions.owner = excluded.owner AND sessions.user_id = excluded.user_id
                    """
            )
            guard changed > 0 else { throw StoreError(.conflict, "the session belongs to another user") }
            try db.run(
                """
                DELETE FROM sessions WHERE id IN (
                    SELECT id FROM sessions WHERE owner = :owner AND id <> :id
                    ORDER BY created_at DESC LIMIT 1000000 OFFSET :kept
                )
                """,
                [
                    "owner": session.owner.key, "id": session.id,
                    "kept": Self.greatestNumber - 1,
                ]
            )
        }

        func use(
            _ db: Database,
            _ id: String,
            owner: Owner,
            user: UserID,
            prolongedUntil: Deadline?,
            at now: Moment
        ) throws {
            let found = try db.row(
                """
                SELECT * FROM sessions
                WHERE id = :id AND owner = :owner AND user_id = :user AND \(Tenancy.condition)
                """,
                ["id": id, "owner": owner.key, "user": user.oid] + core.tenancy
            )
            guard let session = try found.map(row) else { throw StoreError(.notFound, "there is no such session") }
            guard session.isLive(at: now) else { throw StoreError(.expired, "the session has ended") }
            guard let until = prolongedUntil?.earlier(session.absoluteEnd),
                until.wall >= session.ends.wall + Self.leastProlonging.milliseconds
            else { return }
            try db.run(
                "UPDATE sessions SET \(Deadline.assignments("ends")) WHERE id = :id",
                ["id": id] + until.arguments("ends")
            )
        }

        static let proofs = SealedColumn("sessions", "proofs")

        @Sendable func row(_ row: Row) throws -> SessionRow {
            guard let scope = SessionScope(rawValue: try row.get("scope")) else {
                throw StoreError(.corrupt, "the scope of a session is unknown")
            }
            return SessionRow(
                id: try row.get("id"),
                owner: try row.owner(),
                user: UserID(oid: try row.get("user_id")),
                proofs: try core.sealing.recall(Self.proofs, of: row),
                policy: try row.get("policy"),
                client: try row.get("client"),
                scope: scope,
                createdAt: try row.get("created_at"),
                ends: try row.deadline("ends"),
                absoluteEnd: try row.deadline("absolute")
            )
        }
    }
}
