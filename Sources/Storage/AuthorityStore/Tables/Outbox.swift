import DurableSQLite
import Foundation
import GRDB
public import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// Mails to be sent: written in the transaction that they report, sent afterwards.
    public struct Outbox: Sendable {
        let core: Core

        /// The greatest number of waiting mails.
        public static let greatestNumber = 10_000

        /// Leases mails that are due, so that no other sender takes them meanwhile.
        ///
        /// - Parameters:
        ///   - limit: The greatest number of mails.
        ///   - lease: The time for which the caller has them; mails without ``done(_:)`` by then may be taken again.
        /// - Returns: The mails, oldest first.
        /// - Throws: The error that kept the store from writing.
        public func take(limit: Int, lease: Duration) async throws(StoreError) -> [QueuedMail] {
            return try await core.database.write { db, now in
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

        /// Deletes a mail that was sent or never can be.
        public func done(_ id: String) async throws(StoreError) {
            try await core.database.write { db in
                try db.run("DELETE FROM outbox WHERE id = :id", ["id": id])
            }
        }

        /// Allows a mail to be taken again from `at` on.
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

        static let mail = SealedColumn("outbox", "mail")

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

/// The sealed part of a mail.
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
