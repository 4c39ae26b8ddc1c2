import DurableSQLite
import FlowModel
public import Foundation
import GRDB
import Moments
public import Storage

extension AuthorityStore {
    /// The tickets that let flows continue in browsers.
    public struct Tickets: Sendable {
        let core: Core

        /// Stores a ticket.
        public func insert(_ ticket: TicketRow) async throws(StoreError) {
            try await core.database.write { db in
                try db.insert(
                    into: "tickets",
                    [
                        "hash": ticket.hash, "owner": ticket.owner.key, "browser": ticket.browser,
                        "tenant": core.tenant,
                        "body": try core.sealing.seal(ticket.body, Self.body, row: ticket.hash),
                    ] + ticket.expires.columns("expires")
                )
            }
        }

        /// Returns this tenant's ticket with this hash, or `nil` if it does not exist or has expired.
        public func get(_ hash: String) async throws(StoreError) -> TicketRow? {
            let now = core.clock.now
            let found = try await core.database.find(isOneStatement: true) { db in
                try db.row(
                    "SELECT * FROM tickets WHERE hash = :hash AND \(Tenancy.condition)",
                    ["hash": hash] + core.tenancy,
                    as: row
                )
            }
            return found.flatMap { $0.expires.hasEnded(at: now) ? nil : $0 }
        }

        /// Binds a ticket to this browser, or returns `false` if the ticket is already bound.
        public func claim(_ hash: String, browser: String) async throws(StoreError) -> Bool {
            try await core.database.write { db in
                try db.run(
                    "UPDATE tickets SET browser = :browser WHERE hash = :hash AND browser IS NULL",
                    ["hash": hash, "browser": browser]
                ) > 0
            }
        }

        /// Deletes a ticket.
        public func remove(_ hash: String) async throws(StoreError) {
            try await core.database.write { db in
                try db.run("DELETE FROM tickets WHERE hash = :hash", ["hash": hash])
            }
        }

        /// Moves a ticket between browsers and replaces its body, or returns `false` if it is not bound to `before`.
        public func hand(
            _ hash: String,
            from before: String,
            to browser: String,
            body: Data
        ) async throws(StoreError) -> Bool {
            try await core.database.write { db in
                try db.run(
                    "UPDATE tickets SET browser = :browser, body = :body WHERE hash = :hash AND browser = :before",
                    [
                        "hash": hash, "before": before, "browser": browser,
                        "body": try core.sealing.seal(body, Self.body, row: hash),
                    ]
                ) > 0
            }
        }

        /// Deletes expired tickets.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("tickets", by: "hash", limit: limit)
        }

        static let body = SealedColumn("tickets", key: "hash", "body")

        @Sendable private func row(_ row: Row) throws -> TicketRow {
            TicketRow(
                hash: try row.get("hash"),
                owner: try row.owner(),
                browser: try row.optional("browser"),
                body: try core.sealing.open(Self.body, of: row),
                expires: try row.deadline("expires")
            )
        }
    }
}
