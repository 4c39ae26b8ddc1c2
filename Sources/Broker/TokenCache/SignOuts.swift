import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension TokenCache {
    /// The sign-outs: those remembered against renewals under way, and those that authorities have yet to do.
    public struct SignOuts: Sendable {
        let core: CacheCore

        /// The greatest number of sign-outs remembered for one uid's accounts; older ones count for all its accounts.
        public static let perUID = 1_000
        /// The greatest number of sign-outs that wait for an authority.
        public static let mostPending = 10_000
        static let targets = SealedColumn("pending_sign_outs", "targets")
        /// The account id under which sign-outs of everybody of a uid are stored.
        private static let everybody = ""

        /// Removes accounts with all their tokens, and records the part that authorities have yet to do.
        ///
        /// Everybody of a uid can be signed out while the uid is locked, and the vault is removed with them, so that a user
        /// who has forgotten the passphrase can begin anew. The persons of those accounts are not known then.
        ///
        /// - Parameters:
        ///   - uid: The uid.
        ///   - extent: The accounts; unknown ones are passed over.
        /// - Returns: The result, with counts of removed tokens and accounts.
        /// - Throws: The error that kept the cache from writing; nothing is removed then. `locked` for single accounts of a
        ///   locked uid.
        public func begin(uid: UInt32, _ extent: SignOutExtent) async throws(StoreError) -> SignOutResult {
            try await core.setDamagedAside()
            guard extent == .all, core.vaults.state(uid).isVault else {
                return try await remove(uid, extent) {
                    // A lock that began meanwhile would seal the rows to be read here, and lose its vault.
                    if extent == .all, core.vaults.state(uid).isVault { throw Self.lockBegan }
                    return try core.sealing(of: uid)
                }
            }
            return try await core.vaults.turn(of: uid) { () async throws(StoreError) in
                let before = core.vaults.state(uid)
                let opening = try? core.sealing(of: uid)
                // Nothing is written any more by a key that is about to be removed.
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

        /// Removes accounts; `opening` is called when their turn has come, and gives the keys they open by, if any.
        private func remove(
            _ uid: UInt32,
            _ extent: SignOutExtent,
            opening: @escaping @Sendable () throws -> RowSealing?
        ) async throws(StoreError) -> SignOutResult {
            let now = core.clock.now
            let result = try await core.database.write { db in
                let waiting = try db.number("SELECT value FROM counts WHERE id = 'pending_sign_outs'")
                guard waiting < Self.mostPending else {
                    throw StoreError(.limitExceeded, "\(Self.mostPending) sign-outs wait for an authority")
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

        /// The number of the uid's newest sign-out.
        ///
        /// It is read before a renewal, and compared with the account's when the new tokens are stored.
        public func generation(uid: UInt32) throws(StoreError) -> Int64 {
            try core.database.readInline { db in try generation(db, uid) }
        }

        /// True if an account, or everybody of the uid, was signed out after ``generation(uid:)`` was `generation`.
        public func isSignedOut(uid: UInt32, account: String, since generation: Int64) throws(StoreError) -> Bool {
            try core.database.readInline { db in try isSignedOut(db, uid, account, since: generation) }
        }

        /// The sign-outs that authorities have yet to do, oldest first.
        public func pending() throws(StoreError) -> [SignOutTicket] {
            try core.database.readInline { db in
                try core.opened(
                    db.rows("SELECT * FROM pending_sign_outs ORDER BY at LIMIT 10000"),
                    ticket
                )
            }
        }

        /// The sign-outs of one uid that authorities have yet to do.
        public func pending(uid: UInt32) throws(StoreError) -> [SignOutTicket] {
            try core.database.readInline { db in
                try core.opened(
                    db.rows("SELECT * FROM pending_sign_outs WHERE uid = :uid ORDER BY at", ["uid": uid]),
                    ticket
                )
            }
        }

        /// Deletes a sign-out that the authorities have done.
        public func completed(_ ticket: SignOutTicket) async throws(StoreError) {
            try await core.database.write { db in
                try db.run("DELETE FROM pending_sign_outs WHERE id = :id", ["id": ticket.id])
            }
        }

        // MARK: For the other tables

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

        /// Records a sign-out, so that tokens requested before it are not stored; the accounts may be unknown to the cache.
        func note(_ db: Database, uid: UInt32, _ extent: SignOutExtent) throws {
            let generation = try generation(db, uid) + 1
            switch extent {
            case .all:
                try note(db, uid: uid, Self.everybody, generation)
                // A sign-out of everybody replaces the older ones of single accounts.
                try forget(db, uid: uid, upTo: generation)
            case .accounts(let ids):
                for id in Set(ids).sorted() { try note(db, uid: uid, id, generation) }
                let oldest = try db.number(
                    "SELECT generation FROM sign_outs WHERE uid = :uid ORDER BY generation DESC LIMIT 1 OFFSET :kept",
                    ["uid": uid, "kept": Self.perUID]
                )
                guard oldest > 0 else { return }
                // Sign-outs too old to be remembered one by one count for everybody: more is refused, never less.
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

        /// Removes accounts whether they open or not; refresh tokens go with them.
        private func remove(
            _ db: Database,
            uid: UInt32,
            _ extent: SignOutExtent
        ) throws -> (tokens: Int, accounts: Int) {
            switch extent {
            case .all:
                // What a vault has sealed does not open without it.
                try db.run(
                    "DELETE FROM own_authorities WHERE uid = :uid AND EXISTS (SELECT 1 FROM vaults WHERE uid = :uid)",
                    ["uid": uid]
                )
                try db.run("DELETE FROM rotated_tokens WHERE uid = :uid", ["uid": uid])
                try db.run("DELETE FROM vaults WHERE uid = :uid", ["uid": uid])
                // Those of accounts are gone with them; others waited since a restore.
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
