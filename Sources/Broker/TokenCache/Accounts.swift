import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension TokenCache {
    /// The accounts in the cache, each of which belongs to one uid.
    public struct Accounts: Sendable {
        let core: CacheCore

        /// The maximum number of accounts per uid.
        public static let perUID = 10_000
        static let body = SealedColumn("accounts", "body")

        /// Returns a uid's accounts, most recently used first.
        public func list(uid: UInt32) throws(StoreError) -> [AccountRow] {
            try core.rows(of: uid, opened) { db in
                try db.rows("SELECT * FROM accounts WHERE uid = :uid ORDER BY last_used DESC, id", ["uid": uid])
            }
        }

        /// Returns one of a uid's accounts, or `nil` if the uid has no account with this id.
        public func get(uid: UInt32, id: String) throws(StoreError) -> AccountRow? {
            _ = try core.sealing(of: uid)
            return try core.database.readInline { db in try get(db, uid: uid, id: id) }
        }

        /// Returns the permanent id of a user's account, which does not reveal the user's identity.
        ///
        /// The id never begins with `-`, so that a command line cannot mistake it for an option.
        public func id(uid: UInt32, authority: String, subject: String) -> String {
            let id = core.opaque("\(uid)\u{1F}\(authority)\u{1F}\(subject)")
            return id.hasPrefix("-") ? "0" + id.dropFirst() : id
        }

        /// Whether the uid has an account with this id in the cache, even while the uid's rows are locked.
        public func isKept(uid: UInt32, _ id: String) -> Bool {
            let count = try? core.database.readInline { db in
                try db.number("SELECT count(*) FROM accounts WHERE uid = :uid AND id = :id", ["uid": uid, "id": id])
            }
            return count ?? 0 > 0
        }

        /// Makes one of a uid's accounts the default and returns it, or returns `nil` if the uid has no such account.
        public func makeDefault(uid: UInt32, account id: String) async throws(StoreError) -> AccountRow? {
            try await core.setDamagedAside()
            let account = try await core.database.write { db -> AccountRow? in
                guard try get(db, uid: uid, id: id) != nil else { return nil }
                try db.run("UPDATE accounts SET is_default = 0 WHERE uid = :uid AND is_default = 1", ["uid": uid])
                try db.run("UPDATE accounts SET is_default = 1 WHERE id = :id AND uid = :uid", ["id": id, "uid": uid])
                return try get(db, uid: uid, id: id)
            }
            core.memory.raise(uid)
            return account
        }

        /// Records when accounts were last used, which does not invalidate cached responses.
        public func noteUses(_ uses: [AccountUse]) async throws(StoreError) {
            guard !uses.isEmpty else { return }
            try await core.database.write { db in
                for use in uses {
                    try db.run(
                        "UPDATE accounts SET last_used = :at WHERE id = :id AND uid = :uid AND last_used < :at",
                        ["at": use.at, "id": use.account, "uid": use.uid]
                    )
                }
            }
        }

        // MARK: Used by other tables

        func get(_ db: Database, uid: UInt32, id: String) throws -> AccountRow? {
            try core.opened(
                db.rows("SELECT * FROM accounts WHERE id = :id AND uid = :uid", ["id": id, "uid": uid]),
                opened
            ).first
        }

        func upsert(_ db: Database, _ new: AccountUpsert, id: String, at now: Moment) throws {
            let old = try get(db, uid: new.uid, id: id)
            if old == nil {
                let count = try db.number("SELECT count(*) FROM accounts WHERE uid = :uid", ["uid": new.uid])
                guard count < Self.perUID else {
                    throw StoreError(.limitExceeded, "this uid already has \(Self.perUID) cached accounts")
                }
            }
            let body = AccountBody(
                subject: new.subject,
                username: new.username,
                displayName: new.displayName,
                policies: Array(Set(old?.policies ?? []).union([new.policy])).sorted(),
                lastPolicy: new.isSignIn ? new.policy : old?.lastPolicy ?? new.policy
            )
            let use = new.isUse ? ", last_used = max(accounts.last_used, excluded.last_used)" : ""
            try db.insert(
                into: "accounts",
                [
                    "id": id, "uid": new.uid, "authority": new.authority, "last_used": now.wall, "created_at": now.wall,
                    "person": core.personID(authority: new.authority, subject: new.subject),
                    "body": try core.sealing(of: new.uid).seal(body, as: Self.body, row: id),
                ],
                onConflict: "(id) DO UPDATE SET body = excluded.body\(use)"
            )
        }

        /// Returns the users to sign out when the accounts in `rows` are removed.
        func targets(_ rows: [Row], _ sealing: RowSealing) throws -> [SignOutTicket.Target] {
            try core.opened(rows) { row in
                let account = try opened(row, sealing)
                return SignOutTicket.Target(
                    account: account.account,
                    authority: account.authority,
                    subject: account.subject
                )
            }
        }

        private func opened(_ row: Row) throws -> AccountRow {
            try opened(row, try core.sealing(of: try row.get("uid")))
        }

        private func opened(_ row: Row, _ sealing: RowSealing) throws -> AccountRow {
            let body: AccountBody = try sealing.decode(Self.body, of: row)
            return AccountRow(
                account: try row.get("id"),
                uid: try row.get("uid"),
                authority: try row.get("authority"),
                subject: body.subject,
                username: body.username,
                displayName: body.displayName,
                policies: body.policies,
                lastPolicy: body.lastPolicy,
                lastUsed: try row.get("last_used"),
                createdAt: try row.get("created_at"),
                isDefault: try row.get("is_default")
            )
        }
    }
}

/// The encrypted content of an account's row.
struct AccountBody: Codable {
    let subject: String
    let username: String
    let displayName: String?
    let policies: [String]
    let lastPolicy: String
}
