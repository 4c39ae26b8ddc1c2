import DurableSQLite
public import FlowModel
import Foundation
import GRDB
import Metrics
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The audit log of numbered security events, which counts deleted events so that a missing event is detected.
    public struct Audit: Sendable {
        let core: Core

        /// The maximum number of events per page.
        public static let greatestPage = 1000

        /// Records events.
        public func append(_ events: [AuditEvent]) async throws(StoreError) {
            try await core.database.write { db, now in try Self.append(db, events, at: now) }
        }

        /// Returns an owner's events whose numbers are greater than `since`, oldest first.
        public func query(owner: Owner, since: Int64 = 0, limit: Int) async throws(StoreError) -> [AuditRecord] {
            try await core.database.read { db in
                try db.rows(
                    """
                    SELECT * FROM audit WHERE owner = :owner AND seq > :since
                    ORDER BY seq LIMIT :limit
                    """,
                    ["owner": owner.key, "since": since, "limit": Self.page(limit)]
                ).map(Self.record)
            }
        }

        /// Returns all owners' events whose numbers are greater than `since`, oldest first.
        public func all(since: Int64 = 0, limit: Int) async throws(StoreError) -> [AuditRecord] {
            try await core.database.read { db in
                try db.rows(
                    "SELECT * FROM audit WHERE seq > :since ORDER BY seq LIMIT :limit",
                    ["since": since, "limit": Self.page(limit)]
                ).map(Self.record)
            }
        }

        static func append(_ db: Database, _ events: [AuditEvent], at now: Moment) throws {
            for event in events where try AuditBudget.admits(db, event, at: now) { try insert(db, event, at: now) }
        }

        static func append(_ db: Database, _ events: [AuditEvent], ifAny changed: Int, at now: Moment) throws -> Bool {
            guard changed > 0 else { return false }
            try append(db, events, at: now)
            return true
        }

        /// Inserts an event with the number after the highest existing number, read in the same transaction.
        static func insert(_ db: Database, _ event: AuditEvent, at now: Moment) throws {
            try db.run(
                """
                INSERT INTO audit
                    (seq, at, event, owner, user_id, client, policy, correlation_id, pid, detail)
                SELECT coalesce(max(seq), 0) + 1, :at, :event, :owner, :user_id, :client, :policy,
                    :correlation_id, :pid, :detail
                FROM audit
                """,
                [
                    "at": now.wall, "event": event.kind.rawValue, "owner": event.owner?.key,
                    "user_id": event.user?.oid, "client": event.client,
                    "policy": event.policy, "correlation_id": event.correlationID.description,
                    "pid": event.pid, "detail": Texts.encode(event.detail),
                ]
            )
            try AuditOwners.added(db, event.owner)
            db.afterCommit {
                let labels = [("event", event.kind.rawValue), ("policy", event.policy ?? "none")]
                Counter(label: "authority_events", dimensions: labels).increment()
            }
        }

        private static func page(_ limit: Int) -> Int { min(max(limit, 1), greatestPage) }

        private static func record(_ row: Row) throws -> AuditRecord {
            let uid: UInt32? =
                switch try row.optionalOwner() {
                case .local(_, let uid): uid
                case .browser, nil: nil
                }
            return AuditRecord(
                sequence: try row.get("seq"),
                at: try row.get("at"),
                event: try row.get("event"),
                uid: uid,
                pid: try row.optional("pid"),
                user: try row.optional("user_id"),
                client: try row.optional("client"),
                policy: try row.optional("policy"),
                correlationID: try row.get("correlation_id"),
                detail: try Texts.decode([String: String].self, try row.get("detail"))
            )
        }
    }
}
