import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension TokenCache {
    /// The stored sign-outs, some of which still have to be completed at authorities.
    ///
    /// Tokens that were requested before a sign-out and arrive after it are not stored.
    public struct SignOuts: Sendable {
        let core: CacheCore

        /// The maximum number of sign-outs of individual accounts that are stored per uid.
        ///
        /// If there are more, one sign-out of all users of the uid replaces the oldest ones.
        public static let perUID = 1_000
        /// The maximum number of sign-outs that are waiting to be completed at authorities.
        public static let mostPending = 10_000
        static let targets = SealedColumn("pending_sign_outs", "targets")
        /// The account id under which a sign-out of all users of a uid is stored.
        private static let everybody = ""

        /// Removes accounts and their tokens, and records the sign-out, to be completed at the authorities.
        ///
        /// If `extent` is `all`, this also works while the uid is locked, and removes the vault, so that a user who has
        /// forgotten the passphrase can start over. The users of a locked vault are unknown.
        ///
        /// - Throws: `locked`, without removing anything, if the uid is locked and `extent` lists individual accounts.
        public func begin(uid: UInt32, _ extent: SignOutExtent) async throws(StoreError) -> SignOutResult {
            try await core.setDamagedAside()
            guard extent == .all, core.vaults.state(uid).isVault else {
                return try await remove(uid, extent) {
                    // If a vault now exists, rows are being encrypted with its key, so the key must not be removed.
                    if extent == .all, core.vaults.state(uid).isVault { throw Self.lockBegan }
                    return try core.sealing(of: uid)
                }
            }
            return try await core.vaults.turn(of: uid) { () async throws(StoreError) in
                let before = core.vaults.state(uid)
                let opening = try? core.sealing(of: uid)
                // From here on, no row may be encrypted with the key, because the vault is about to be removed.
                if case .open(let key, _) = before { core.vaults.set(uid, .locked(key.mark)) }
                do throws(StoreError) {
                    let result = try await remove(uid, extent) { opening }
                    core.vaults.set(uid, .none)
                    core.memory.raise(uid)
                    return result
                } catch {
                    core.vaults.set(uid, before)
                    throw error
                }
            }
        }

        private static let lockBegan = StoreError(.busy, "this uid's cache is being locked")

        /// Removes accounts and records the sign-out in one transaction.
        ///
        /// The transaction calls `opening` for the keys that decrypt the uid's rows, or for `nil` if the uid is locked.
        private func remove(
            _ uid: UInt32,
            _ extent: SignOutExtent,
            opening: @escaping @Sendable () throws -> RowSealing?
        ) async throws(StoreError) -> SignOutResult {
            let now = core.clock.now
            let result = try await core.database.write { db in
                let waiting = try db.number("SELECT value FROM counts WHERE id = 'pending_sign_outs'")
                guard waiting < Self.mostPending else {
                    throw StoreError(.limitExceeded, "\(Self.mostPending) sign-outs are waiting for an authority")
                }
                let opening = try opening()
                let accounts = try accounts(db, uid: uid, extent)
                let targets = try opening.map { try Accounts(core: core).targets(accounts, $0) } ?? []
                let unopened =
                    opening == nil ? Set(try accounts.map { try $0.get("authority") as String }).sorted() : []
                let removed = try remove(db, uid: uid, extent)
                try note(db, uid: uid, extent)
                let ticket = SignOutTicket(
                    id: CorrelationID.random().description,
                    uid: uid,
                    isAll: extent == .all,
                    targets: targets,
                    at: now.wall
                )
                try db.insert(
                    into: "pending_sign_outs",
                    [
                        "id": ticket.id, "uid": uid, "is_all": ticket.isAll, "at": ticket.at,
                        "targets": try core.sealing.seal(ticket.targets, as: Self.targets, row: ticket.id),
                    ]
                )
                return SignOutResult(
                    tokens: removed.tokens,
                    accounts: removed.accounts,
                    unopened: unopened,
                    ticket: ticket
                )
            }
            core.memory.raise(uid)
            return result
        }

        /// Returns the generation of the uid's most recent sign-out, for ``TokenCache/store(_:expectedGeneration:)``.
        public func generation(uid: UInt32) throws(StoreError) -> Int64 {
            try core.database.readInline { db in try generation(db, uid) }
        }

        /// Whether the account, or the whole uid, was signed out after ``generation(uid:)`` returned `generation`.
        public func isSignedOut(uid: UInt32, account: String, since generation: Int64) throws(StoreError) -> Bool {
            try core.database.readInline { db in try isSignedOut(db, uid, account, since: generation) }
        }

        /// Returns the sign-outs that still have to be completed at authorities, oldest first.
        public func pending() throws(StoreError) -> [SignOutTicket] {
            try core.database.readInline { db in
                try core.opened(
                    db.rows("SELECT * FROM pending_sign_outs ORDER BY at LIMIT 10000"),
                    ticket
                )
            }
        }

        /// Returns one uid's sign-outs that still have to be completed at authorities.
        public func pending(uid: UInt32) throws(StoreError) -> [SignOutTicket] {
            try core.database.readInline { db in
                try core.opened(
                    db.rows("SELECT * FROM pending_sign_outs WHERE uid = :uid ORDER BY at", ["uid": uid]),
                    ticket
                )
            }
        }

        /// Deletes a sign-out that has been completed at all authorities.
        public func completed(_ ticket: SignOutTicket) async throws(StoreError) {
            try await core.database.write { db in
                try db.run("DELETE FROM pending_sign_outs WHERE id = :id", ["id": ticket.id])
            }
        }

        // MARK: Used by other tables

        func generation(_ db: Database, _ uid: UInt32) throws -> Int64 {
            try db.number("SELECT max(generation) FROM sign_outs WHERE uid = :uid", ["uid": uid])
        }

        func isSignedOut(
            _ db: Database,
            _ uid: UInt32,
            _ account: String,
            since generation: Int64
        ) throws -> Bool {
            try db.number(
                "SELECT max(generation) FROM sign_outs WHERE uid = :uid AND account IN (:all, :account)",
                ["uid": uid, "all": Self.everybody, "account": account]
            ) > generation
        }

        /// Records a sign-out, even of accounts that are not cached, so that tokens requested before it are not stored.
        func note(_ db: Database, uid: UInt32, _ extent: SignOutExtent) throws {
            let generation = try generation(db, uid) + 1
            switch extent {
            case .all:
                try note(db, uid: uid, Self.everybody, generation)
                // A sign-out of all users replaces older sign-outs of individual accounts.
                try forget(db, uid: uid, upTo: generation)
            case .accounts(let ids):
                for id in Set(ids).sorted() { try note(db, uid: uid, id, generation) }
                let oldest = try db.number(
                    "SELECT generation FROM sign_outs WHERE uid = :uid ORDER BY generation DESC LIMIT 1 OFFSET :kept",
                    ["uid": uid, "kept": Self.perUID]
                )
                guard oldest > 0 else { return }
                // One sign-out of all users replaces the oldest ones, and can reject more tokens than necessary.
                try note(db, uid: uid, Self.everybody, oldest)
                try forget(db, uid: uid, upTo: oldest)
            }
        }

        private func note(_ db: Database, uid: UInt32, _ account: String, _ generation: Int64) throws {
            try db.insert(
                into: "sign_outs",
                ["uid": uid, "account": account, "generation": generation],
                onConflict: "(uid, account) DO UPDATE SET generation = max(sign_outs.generation, excluded.generation)"
            )
        }

        private func forget(_ db: Database, uid: UInt32, upTo generation: Int64) throws {
            try db.run(
                "DELETE FROM sign_outs WHERE uid = :uid AND generation <= :generation AND account <> :all",
                ["uid": uid, "generation": generation, "all": Self.everybody]
            )
        }

        private func accounts(_ db: Database, uid: UInt32, _ extent: SignOutExtent) throws -> [Row] {
            switch extent {
            case .all: try db.rows("SELECT * FROM accounts WHERE uid = :uid", ["uid": uid])
            case .accounts(let ids):
                try Set(ids).sorted().flatMap { id in
                    try db.rows("SELECT * FROM accounts WHERE id = :id AND uid = :uid", ["id": id, "uid": uid])
                }
            }
        }

        /// Removes accounts and their tokens, even if the rows cannot be decrypted.
        private func remove(
            _ db: Database,
            uid: UInt32,
            _ extent: SignOutExtent
        ) throws -> (tokens: Int, accounts: Int) {
            switch extent {
            case .all:
                // The authorities that a uid with a vault added cannot be decrypted after the vault is removed.
                try db.run(
                    "DELETE FROM own_authorities WHERE uid = :uid AND EXISTS (SELECT 1 FROM vaults WHERE uid = :uid)",
                    ["uid": uid]
                )
                try db.run("DELETE FROM rotated_tokens WHERE uid = :uid", ["uid": uid])
                try db.run("DELETE FROM vaults WHERE uid = :uid", ["uid": uid])
                // A restore deletes accounts but not their store keys, so keys without an account must be deleted too.
                try db.run("DELETE FROM store_keys WHERE uid = :uid", ["uid": uid])
                let tokens = try db.run("DELETE FROM tokens WHERE uid = :uid", ["uid": uid])
                return (tokens, try db.run("DELETE FROM accounts WHERE uid = :uid", ["uid": uid]))
            case .accounts(let ids):
                return try Set(ids).sorted().reduce((0, 0)) { sum, id in
                    let tokens = try db.run(
                        "DELETE FROM tokens WHERE account = :id AND uid = :uid",
                        ["id": id, "uid": uid]
                    )
                    let accounts = try db.run(
                        "DELETE FROM accounts WHERE id = :id AND uid = :uid",
                        ["id": id, "uid": uid]
                    )
                    return (sum.0 + tokens, sum.1 + accounts)
                }
            }
        }

        private func ticket(_ row: Row) throws -> SignOutTicket {
            SignOutTicket(
                id: try row.get("id"),
                uid: try row.get("uid"),
                isAll: try row.get("is_all"),
                targets: try core.sealing.decode(Self.targets, of: row),
                at: try row.get("at")
            )
        }
    }
}
