import DurableSQLite
public import FlowModel
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The operations that grant tokens.
    public struct Grants: Sendable {
        let core: Core

        /// Grants tokens for an authentication or session, and writes consents and events in the same transaction.
        ///
        /// After `stale`, `disabled`, `notFound`, `expired`, `consumed` or `conflict`, nothing has changed.
        public func issue(_ issue: Issue) async throws(StoreError) {
            try await core.database.write { db, now in try self.issue(db, issue, at: now) }
        }

        func issue(_ db: Database, _ issue: Issue, at now: Moment) throws {
            try Epoch.require(issue.expectedEpoch, db)
            try Users.requireEnabled(db, issue.user)
            switch issue.source {
            case .authentication(let request):
                let met = try Requests(core: core).consume(db, request, owner: issue.owner, at: now)
                guard met.authentication.user == issue.user else {
                    throw StoreError(.conflict, "another user satisfied the request")
                }
            case .session(let id, let until):
                try Sessions(core: core).use(
                    db,
                    id,
                    owner: issue.owner,
                    user: issue.user,
                    prolongedUntil: until,
                    at: now
                )
            }
            for scope in issue.consented {
                guard let client = issue.product?.client else { break }
                try Consents.insert(db, user: issue.user, client: client, scope: scope, at: now)
            }
            switch issue.product {
            case .family(let family):
                let correlation = issue.events.first?.correlationID ?? .random()
                try Families(core: core).insert(db, family, correlation: correlation, at: now)
            case .code(let code):
                try Codes(core: core).insert(db, code)
                if issue.isToldOfSignOut, let session = code.sessionID {
                    try Logouts.note(db, session: session, client: code.client, policy: code.policy)
                }
            case .device(let hash, _, let authentication):
                let approval = DeviceCodeRow.Approval(owner: issue.owner, authentication: authentication)
                try DeviceCodes(core: core).approve(db, hash, approval, at: now)
            case nil: break
            }
            try Audit.append(db, issue.events, at: now)
        }
    }

    /// The scopes that users allow clients to use.
    public struct Consents: Sendable {
        let core: Core

        /// Returns the scopes among `scopes` that the user has allowed the client to use.
        public func given(
            user: UserID,
            client: String,
            scopes: [String]
        ) async throws(StoreError) -> Set<String> {
            try await core.database.find(isOneStatement: true) { db in
                let rows = try db.rows(
                    "SELECT scope FROM consents WHERE user_id = :user AND client = :client",
                    ["user": user.oid, "client": client]
                )
                return Set(try rows.map { try $0.get("scope") as String }).intersection(scopes)
            }
        }

        /// Whether the user has allowed the client to use all of `scopes`.
        public func has(user: UserID, client: String, scopes: [String]) async throws(StoreError) -> Bool {
            try await given(user: user, client: client, scopes: scopes).count == Set(scopes).count
        }

        static func insert(_ db: Database, user: UserID, client: String, scope: String, at now: Moment) throws {
            try db.insert(
                into: "consents",
                ["user_id": user.oid, "client": client, "scope": scope, "given_at": now.wall],
                onConflict: "(user_id, client, scope) DO NOTHING"
            )
        }
    }
}
