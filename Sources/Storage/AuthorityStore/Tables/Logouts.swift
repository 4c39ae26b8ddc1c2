import DurableSQLite
public import FlowModel
import GRDB
public import Moments
public import Storage

/// A sign-out that a client must be notified of (OpenID Connect Back-Channel Logout 1.0).
public struct QueuedLogout: Hashable, Sendable {
    /// The random id of the notification.
    public let id: String
    /// The session that ended.
    public let session: String
    /// The `client_id` of the client to notify.
    public let client: String
    /// The policy under which the client's tokens were issued.
    public let policy: String
    /// The user who was signed in.
    public let user: UserID
    /// The number of this delivery attempt, starting at 1.
    public let tries: Int
}

extension AuthorityStore {
    /// The notifications of sign-outs to clients, each written in the transaction that ends the session.
    public struct Logouts: Sendable {
        let core: Core

        private static let queue = DeliveryQueue(table: "logouts")
        /// The maximum number of notifications leased at once per client, so a slow client does not delay the others.
        public static let mostOfClient = 2

        /// Leases this tenant's due notifications, which are due again after `lease` unless ``done(_:)`` is called.
        public func take(limit: Int, lease: Duration) async throws(StoreError) -> [QueuedLogout] {
            let now = core.clock.now
            let isEmpty = try await core.database.read { db in try due(db, limit: 1, at: now).isEmpty }
            guard !isEmpty else { return [] }
            return try await core.database.write { db in
                let due = try due(db, limit: limit, at: now)
                for logout in due { try Self.queue.lease(db, logout.id, for: lease, at: now) }
                return due
            }
        }

        /// Deletes a notification that was delivered or cannot be delivered.
        public func done(_ id: String) async throws(StoreError) {
            try await core.database.write { db in try Self.queue.remove(db, id) }
        }

        /// Delays this tenant's notifications to a client until `at`.
        public func postpone(client: String, until at: Deadline) async throws(StoreError) {
            try await core.database.write { db in
                try db.run(
                    """
                    UPDATE logouts SET \(Deadline.assignments("next")) WHERE client = :client AND \(Tenancy.condition)
                    """,
                    ["client": client] + at.arguments("next") + core.tenancy
                )
            }
        }

        /// Returns the number of waiting notifications of all tenants.
        public func count() async throws(StoreError) -> Int64 {
            try await core.database.read { db in try Self.queue.count(db) }
        }

        /// Records that a client uses a session and must be notified when the session ends.
        static func note(_ db: Database, session: String, client: String, policy: String) throws {
            try db.run(
                """
                INSERT INTO session_clients (session_id, client, policy, user_id)
                SELECT id, :client, :policy, user_id FROM sessions WHERE id = :session
                ON CONFLICT (session_id, client, policy) DO NOTHING
                """,
                ["session": session, "client": client, "policy": policy]
            )
        }

        /// Returns due notifications, at most ``mostOfClient`` per client.
        private func due(_ db: Database, limit: Int, at now: Moment) throws -> [QueuedLogout] {
            var due: [QueuedLogout] = []
            var last = ""
            while due.count < limit, let client = try next(db, after: last) {
                let room = min(Self.mostOfClient, limit - due.count)
                due += try db.rows(
                    """
                    SELECT * FROM logouts
                    WHERE client = :client AND \(Tenancy.condition) AND (\(DeliveryQueue.isDue)) ORDER BY rowid LIMIT :room
                    """,
                    now.arguments + ["client": client, "room": room] + core.tenancy
                ).map(row)
                last = client
            }
            return due
        }

        private func next(_ db: Database, after client: String) throws -> String? {
            try db.row("SELECT min(client) AS client FROM logouts WHERE client > :client", ["client": client])?
                .optional("client")
        }

        @Sendable private func row(_ row: Row) throws -> QueuedLogout {
            let tries: Int = try row.get("tries")
            return QueuedLogout(
                id: try row.get("id"),
                session: try row.get("session_id"),
                client: try row.get("client"),
                policy: try row.get("policy"),
                user: UserID(oid: try row.get("user_id")),
                tries: tries + 1
            )
        }
    }
}
