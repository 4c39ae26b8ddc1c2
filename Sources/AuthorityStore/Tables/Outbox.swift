import DurableSQLite
import Foundation
import GRDB
public import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The mails that are to be sent: written with what they tell of, sent afterwards.
    public struct Outbox: Sendable {
        let core: Core

        /// How many mails may wait.
        public static let greatestNumber = 10_000

        /// Takes mails that are due, so that nobody else takes them for a while.
        ///
        /// - Parameters:
        ///   - limit: How many at most.
        ///   - lease: For how long they are the caller's; who has not said ``done(_:)`` by then loses them.
        /// - Returns: The mails, oldest first.
        /// - Throws: What kept the store from writing.
        public func take(limit: Int, lease: Duration) async throws(StoreError) -> [QueuedMail] {
            let now = core.clock.now
            return try await core.database.write { db in
                let due = try db.rows(
                    """
                    SELECT * FROM outbox
                    WHERE (next_boot_id = :boot_id AND next_boot <= :boot)
                        OR (next_wall <= :wall AND next_boot_id <> :boot_id)
                    ORDER BY created_at LIMIT :limit
                    """,
                    now.arguments + ["limit": limit]
                ).map(row)
                for mail in due {
                    try db.run(
                        """
                        UPDATE outbox SET tries = tries + 1, next_wall = :next_wall, next_boot = :next_boot,
                            next_boot_id = :next_boot_id
                        WHERE id = :id
                        """,
                        ["id": mail.id] + Deadline(lease, after: now).arguments("next")
                    )
                }
                return due
            }
        }

        /// Forgets a mail that was sent, or that never can be.
        public func done(_ id: String) async throws(StoreError) {
            try await core.database.write { db in
                try db.run("DELETE FROM outbox WHERE id = :id", ["id": id])
            }
        }

        /// Lets a mail be taken again from `at` on.
        public func retry(_ id: String, at: Deadline) async throws(StoreError) {
            try await core.database.write { db in
                try db.run(
                    """
                    UPDATE outbox SET next_wall = :next_wall, next_boot = :next_boot, next_boot_id = :next_boot_id
                    WHERE id = :id
                    """,
                    ["id": id] + at.arguments("next")
                )
            }
        }

        func add(_ db: Database, _ mails: [OutboxMail], at now: Moment) throws {
            guard !mails.isEmpty else { return }
            let waiting = try db.number("SELECT value FROM counts WHERE id = 'outbox'")
            guard waiting + Int64(mails.count) <= Self.greatestNumber else {
                throw StoreError(.limitExceeded, "\(Self.greatestNumber) mails wait to be sent")
            }
            for mail in mails {
                let id = CorrelationID.random().description
                try db.run(
                    """
                    INSERT INTO outbox (id, mail, tries, created_at, next_wall, next_boot, next_boot_id)
                    VALUES (:id, :mail, 0, :wall, :wall, :boot, :boot_id)
                    """,
                    ["id": id, "mail": try core.sealing.seal(Letter(mail), as: Self.mail, row: id)] + now.arguments
                )
            }
        }

        private static let mail = SealedColumn("outbox", "mail")

        @Sendable private func row(_ row: Row) throws -> QueuedMail {
            let id: String = try row.get("id")
            let letter = try core.sealing.open(Letter.self, try row.get("mail"), as: Self.mail, row: id)
            let tries: Int = try row.get("tries")
            return QueuedMail(
                id: id,
                mail: OutboxMail(to: letter.to, subject: letter.subject, body: Secret(letter.body)),
                tries: tries + 1
            )
        }
    }
}

/// What is sealed of a mail.
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
