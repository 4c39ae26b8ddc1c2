import DurableSQLite
public import FlowModel
import GRDB
public import Moments
public import Storage

/// A sign-out that a client is yet to be told of (OpenID Connect Back-Channel Logout 1.0).
public struct QueuedLogout: Hashable, Sendable {
    /// The id: random text.
    public let id: String
    /// The session that has ended.
    public let session: String
    /// The client.
    public let client: String
    /// The policy of the client's tokens.
    public let policy: String
    /// The person who was signed in.
    public let user: UserID
    /// The number of this try, from 1.
    public let tries: Int
}

extension AuthorityStore {
    /// Sign-outs that clients are told of: noted in the transaction that ends a session, told afterwards.
    public struct Logouts: Sendable {
        let core: Core

        private static let queue = DeliveryQueue(table: "logouts")
        /// The most sign-outs of one client that are taken at once, so that a slow one delays no other.
        public static let mostOfClient = 2

        /// Leases sign-outs of this tenant that are due, so that no other daemon takes them meanwhile.
        ///
        /// - Parameters:
        ///   - limit: The greatest number.
        ///   - lease: The time after which they are due again, unless ``done(_:)`` comes first.
        /// - Returns: The sign-outs, at most ``mostOfClient`` of each client.
        /// - Throws: The error that kept the store from writing.
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

        /// Deletes a sign-out that the client was told of, or never can be.
        public func done(_ id: String) async throws(StoreError) {
            try await core.database.write { db in try Self.queue.remove(db, id) }
        }

        /// Allows this tenant's sign-outs of a client to be taken again from `at` on.
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

        /// The number of sign-outs that wait, of all tenants.
        public func count() async throws(StoreError) -> Int64 {
            try await core.database.read { db in try Self.queue.count(db) }
        }

        /// Notes a client that signs a person in by a session, and is told when that ends.
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

        /// Sign-outs that are due, some of each client.
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

        /// The first client after another one that has sign-outs waiting.
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
