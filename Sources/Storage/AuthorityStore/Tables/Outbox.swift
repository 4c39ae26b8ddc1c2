import DurableSQLite
import Foundation
import GRDB
public import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The messages waiting to be sent, each written in the same transaction as the change that it reports.
    public struct Outbox: Sendable {
        let core: Core

        private static let queue = DeliveryQueue(table: "outbox")
        /// The maximum number of waiting messages.
        public static let greatestNumber = 10_000

        /// Leases due messages to one sender, oldest first, until `lease` expires or ``done(_:)`` is called.
        public func take(limit: Int, lease: Duration) async throws(StoreError) -> [QueuedMail] {
            try await core.database.write { db, now in
                let due = try db.rows(
                    """
                    SELECT * FROM outbox WHERE \(DeliveryQueue.isDue) ORDER BY created_at LIMIT :limit
                    """,
                    now.arguments + ["limit": limit]
                ).map(row)
                for mail in due { try Self.queue.lease(db, mail.id, for: lease, at: now) }
                return due
            }
        }

        /// Deletes a message that was sent or cannot be sent.
        public func done(_ id: String) async throws(StoreError) {
            try await core.database.write { db in try Self.queue.remove(db, id) }
        }

        /// Delays a message until `at`.
        public func retry(_ id: String, at: Deadline) async throws(StoreError) {
            try await core.database.write { db in
                try db.run(
                    "UPDATE outbox SET \(Deadline.assignments("next")) WHERE id = :id",
                    ["id": id] + at.arguments("next")
                )
            }
        }

        func add(_ db: Database, _ mails: [OutboxMail], at now: Moment) throws {
            guard !mails.isEmpty else { return }
            let waiting = try Self.queue.count(db)
            guard waiting + Int64(mails.count) <= Self.greatestNumber else {
                throw StoreError(.limitExceeded, "\(Self.greatestNumber) messages wait to be sent")
            }
            for mail in mails {
                let id = CorrelationID.random().description
                let sealed = try core.sealing.seal(Letter(mail), as: Self.mail, row: id)
                try db.insert(
                    into: "outbox",
                    ["id": id, "mail": sealed, "tries": 0, "created_at": now.wall]
                        + Deadline(.zero, after: now).columns("next")
                )
            }
        }

        static let mail = SealedColumn("outbox", "mail")

        @Sendable private func row(_ row: Row) throws -> QueuedMail {
            let letter: Letter = try core.sealing.decode(Self.mail, of: row)
            let tries: Int = try row.get("tries")
            return QueuedMail(
                id: try row.get("id"),
                mail: OutboxMail(to: letter.to, subject: letter.subject, body: Secret(letter.body)),
                tries: tries + 1
            )
        }
    }
}

/// The encrypted part of a message.
private struct Letter: Codable {
    let to: String
    let subject: String
    let body: String

    init(_ mail: OutboxMail) {
        to = mail.to
        subject = mail.subject
        body = mail.body.reveal()
    }
}
