import DurableSQLite
public import FlowModel
import Foundation
import GRDB
import Moments
public import Storage

/// A user's consent to a client.
public struct GivenConsent: Hashable, Sendable {
    /// The `client_id` of the client.
    public let client: String
    /// The scopes that the client is allowed to use, as `<api>/<scope>`.
    public let scopes: [String]
    /// When the user first consented, in milliseconds since 1970 UTC.
    public let givenAt: Int64
}

/// A user's sessions, families and consents for all owners, which the account page shows.
public struct PersonalHoldings: Hashable, Sendable {
    /// The valid sessions, newest first.
    public let sessions: [SessionRow]
    /// The valid families, newest first.
    public let families: [FamilyRow]
    /// The consents, one per client, oldest first.
    public let consents: [GivenConsent]
}

extension AuthorityStore.Users {
    /// The maximum number of sessions, and of families, that the account page shows.
    public static let mostShown = 200

    /// Returns a user's sessions, families and consents.
    public func account(of id: UserID) async throws(StoreError) -> PersonalHoldings {
        let now = core.clock.now
        let (sessions, families) = (AuthorityStore.Sessions(core: core), AuthorityStore.Families(core: core))
        return try await core.database.read { db in
            let live = try db.rows(
                "SELECT * FROM sessions WHERE user_id = :user ORDER BY created_at DESC LIMIT :most",
                ["user": id.oid, "most": Self.mostShown]
            ).map(sessions.row).filter { $0.isLive(at: now) }
            let held = try db.rows(
                """
                SELECT * FROM families WHERE user_id = :user AND revoked_at IS NULL
                ORDER BY created_at DESC LIMIT :most
                """,
                ["user": id.oid, "most": Self.mostShown]
            ).map(families.row).filter { !$0.expires.hasEnded(at: now) && !$0.windowEnds.hasEnded(at: now) }
            let given = try db.rows(
                "SELECT client, scope, given_at FROM consents WHERE user_id = :user ORDER BY given_at, scope",
                ["user": id.oid]
            ).map { row in
                (
                    client: try row.get("client") as String, scope: try row.get("scope") as String,
                    at: try row.get("given_at") as Int64
                )
            }
            let consents = Dictionary(grouping: given, by: \.client).map { client, rows in
                GivenConsent(client: client, scopes: rows.map(\.scope), givenAt: rows[0].at)
            }
            return PersonalHoldings(
                sessions: live,
                families: held,
                consents: consents.sorted { ($0.givenAt, $0.client) < ($1.givenAt, $1.client) }
            )
        }
    }

    /// Ends a user's sessions that have the same owner as `session`, and everything that could restore them.
    ///
    /// Returns `false` if `session` is not one of the user's sessions.
    public func endSessions(
        beside session: String,
        of id: UserID,
        events: [AuditEvent] = []
    ) async throws(StoreError) -> Bool {
        try await core.database.write { db, now in
            let row = try db.row(
                "SELECT owner FROM sessions WHERE id = :id AND user_id = :user",
                ["id": session, "user": id.oid]
            )
            guard let row else { return false }
            _ = try AuthorityStore.Sessions(core: core).end(db, owner: row.owner(), user: id, at: now)
            try AuthorityStore.Audit.append(db, events, at: now)
            return true
        }
    }

    /// Revokes a user's families that a client obtained over HTTP, or returns `false` if there are none.
    public func revoke(
        client: String,
        of id: UserID,
        reason: String,
        events: [AuditEvent] = []
    ) async throws(StoreError) -> Bool {
        try await core.database.write { db, now in
            let ended = try AuthorityStore.Families.revoke(
                db,
                where: "user_id = :user AND client = :client AND owner GLOB 'browser:*'",
                ["user": id.oid, "client": client],
                reason: reason,
                at: now
            )
            return try AuthorityStore.Audit.append(db, events, ifAny: ended, at: now)
        }
    }

    /// Withdraws a user's consent to a client, or returns `false` if the user had not consented.
    ///
    /// This also revokes the client's families for this user, and deletes the client's unredeemed grants.
    public func withdraw(client: String, of id: UserID, events: [AuditEvent] = []) async throws(StoreError) -> Bool {
        try await core.database.write { db, now in
            let theirs = "user_id = :user AND client = :client"
            let names: StatementArguments = ["user": id.oid, "client": client]
            guard try db.run("DELETE FROM consents WHERE \(theirs)", names) > 0 else { return false }
            try AuthorityStore.Families.revoke(db, where: theirs, names, reason: "consent_withdrawn", at: now)
            for granted in [
                "requests WHERE consumed = 0", "codes WHERE family IS NULL", "device_codes WHERE state = 'approved'",
            ] {
                try db.run("DELETE FROM \(granted) AND \(theirs)", names)
            }
            try AuthorityStore.Audit.append(db, events, at: now)
            return true
        }
    }

    /// Ends a user's sessions, families, open flows and unredeemed grants.
    public func endEverything(of id: UserID, reason: String, events: [AuditEvent] = []) async throws(StoreError) {
        try await core.database.write { db, now in
            try forget(db, id, reason: reason, at: now)
            try AuthorityStore.Audit.append(db, events, at: now)
        }
    }
}
