import DurableSQLite
import GRDB
public import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The invitations that some policies require for signing up, with addresses stored only as MACs.
    public struct Invitations: Sendable {
        let core: Core

        /// The maximum number of open invitations.
        public static let greatestNumber: Int64 = 10_000

        /// Creates an invitation for an address, or renews the address's open invitation.
        ///
        /// - Throws: `nameTaken` if a user has the address, or `limitExceeded` if too many invitations are open.
        public func invite(
            _ address: String,
            until ends: Deadline,
            mail: OutboxMail,
            events: [AuditEvent] = []
        ) async throws(StoreError) {
            let now = core.clock.now
            let (mac, name) = (mac(address), Users(core: core).mac(address))
            try await core.database.write { db in
                guard try db.row("SELECT mac FROM sign_in_names WHERE mac = :mac", ["mac": name]) == nil else {
                    throw StoreError(.nameTaken, "a user already has this sign-in name")
                }
                let last = try db.row(
                    """
                    SELECT mac FROM invitations WHERE ends_wall > :wall ORDER BY ends_wall LIMIT 1 OFFSET :others
                    """,
                    ["wall": now.wall, "others": Self.greatestNumber - 1]
                )
                guard last == nil else {
                    throw StoreError(.limitExceeded, "\(Self.greatestNumber) invitations are open")
                }
                try db.insert(
                    into: "invitations",
                    ["mac": mac, "invited_at": now.wall] + ends.columns("ends"),
                    onConflict: "(mac) DO UPDATE SET invited_at = excluded.invited_at, \(Deadline.excluded("ends"))"
                )
                try Outbox(core: core).add(db, [mail], at: now)
                try Audit.append(db, events, at: now)
            }
        }

        /// Whether this address has an open invitation.
        public func has(_ address: String) async throws(StoreError) -> Bool {
            let (mac, now) = (mac(address), core.clock.now)
            return try await core.database.read { db in
                try db.row(
                    "SELECT mac FROM invitations WHERE mac = :mac AND \(Self.isOpen)",
                    now.arguments + ["mac": mac]
                )
                    != nil
            }
        }

        /// Withdraws an invitation, or throws `notFound` if it does not exist.
        public func withdraw(_ address: String, events: [AuditEvent] = []) async throws(StoreError) {
            let (mac, now) = (mac(address), core.clock.now)
            try await core.database.write { db in
                guard try db.run("DELETE FROM invitations WHERE mac = :mac", ["mac": mac]) > 0 else {
                    throw StoreError(.notFound, "this address has no invitation")
                }
                try Audit.append(db, events, at: now)
            }
        }

        /// Deletes expired invitations.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("invitations", by: "mac", "ends_wall", limit: limit)
        }

        func use(_ db: Database, _ names: [SignInName], at now: Moment) throws -> Bool {
            var isInvited = false
            for name in names {
                let arguments: StatementArguments = now.arguments + ["mac": mac(name.value)]
                let used = try db.run("DELETE FROM invitations WHERE mac = :mac AND \(Self.isOpen)", arguments)
                isInvited = isInvited || used > 0
            }
            return isInvited
        }

        private static let isOpen = "ends_wall > :wall AND NOT (ends_boot_id = :boot_id AND ends_boot <= :boot)"

        private func mac(_ address: String) -> String { core.mac("invitation", SignInName.folded(address)) }
    }

    /// The invitations to sign up.
    public var invitations: Invitations { Invitations(core: core) }
}
