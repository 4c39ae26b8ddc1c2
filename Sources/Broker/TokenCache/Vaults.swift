import DurableSQLite
public import Foundation
import GRDB
public import OAuth
public import Storage

extension TokenCache {
    /// The vaults of the uids that have locked their rows with a passphrase.
    public struct Vaults: Sendable {
        let core: CacheCore

        /// The maximum number of uids that can have a vault.
        public static let most = 4_096
        /// The secret that is combined with passphrases, so that a stolen database alone cannot be used to guess them.
        public var pepper: Secret { core.sealing.derived("vault passphrases") }
        /// The maximum number of rows that one transaction re-encrypts.
        static let sealedAtOnce = 512

        /// Whether a uid's rows are locked with a passphrase.
        public func isLocked(uid: UInt32) -> Bool {
            if case .locked = core.vaults.state(uid) { true } else { false }
        }

        /// Encrypts a uid's rows with the vault key, which is stored encrypted with `wrapping` (32 bytes).
        ///
        /// From the start of the call, no row of the uid can be read or written. `recipe`, which is stored encrypted
        /// with the cache key, describes how to derive `wrapping` from the passphrase. All rows can still be decrypted
        /// after an interruption.
        ///
        /// - Returns: `nil` if all rows are encrypted with the vault key, or the error after which the remaining rows
        ///   were skipped until the uid is next unlocked. The uid is locked in both cases.
        /// - Throws: `locked` if the uid is already locked, `busy` if the uid is being locked or unlocked, or the error
        ///   that prevented the vault from being stored. If the method throws, nothing is changed.
        @discardableResult
        public func lock(uid: UInt32, recipe: Data, wrapping: Secret) async throws(StoreError) -> StoreError? {
            try await core.vaults.turn(of: uid) { () async throws(StoreError) in
                let before = core.vaults.state(uid)
                let (mark, secret): (VaultMark, Secret)
                switch before {
                case .locked: throw CacheCore.locked
                case .open(let held, _):
                    (mark, secret) = (VaultMark(id: held.mark.id, locks: held.mark.locks + 1), held.key)
                case .none:
                    let id = Base64URL.encode(Data(CacheCore.random(16)))
                    (mark, secret) = (VaultMark(id: id, locks: 1), Secret(bytes: CacheCore.random(32)))
                }
                let key = VaultKey(uid: uid, mark: mark, key: secret)
                let sealing = try Self.sealing(key)
                let body = VaultBody(
                    recipe: recipe,
                    wrapped: try Self.wrapped(key, wrapping),
                    keyID: sealing.keyID,
                    locks: key.mark.locks
                )
                // A queued write will find the uid locked, and a running write ends before the rows are read below.
                core.vaults.set(uid, .locked(key.mark))
                core.memory.raise(uid)
                let rest: [Unsealed]
                do throws(StoreError) {
                    rest = try await core.database.write { db in
                        try self.write(db, body, uid: uid, id: key.mark.id)
                        let rows = try unsealed(db, uid, sealing)
                        try seal(db, rows.prefix(Self.sealedAtOnce), sealing)
                        return Array(rows.dropFirst(Self.sealedAtOnce))
                    }
                } catch {
                    core.vaults.set(uid, before)
                    core.memory.raise(uid)
                    throw error
                }
                // Only the passphrase may unlock the stored vault, so an error must not restore the previous state.
                var left: StoreError?
                do throws(StoreError) {
                    try await sealAll(rest, sealing)
                } catch {
                    left = error
                }
                // The log can contain rows without vault encryption. If emptying fails, it is overwritten later.
                try? await core.database.emptyLog()
                return left
            }
        }

        /// Returns the information for trying a passphrase on a uid's vault, or `nil` if the uid is not locked.
        public func door(uid: UInt32) throws(StoreError) -> VaultHeader? {
            guard case .locked(let mark) = core.vaults.state(uid) else { return nil }
            return VaultHeader(uid: uid, mark: mark, recipe: try body(mark).recipe)
        }

        /// Unlocks a uid's rows until they are locked again or the process ends.
        ///
        /// - Returns: The key, which can be stored for use after a restart, or `nil` if the passphrase is wrong.
        /// - Throws: `busy` if the vault was locked or unlocked after `door` was read.
        public func unlock(_ door: VaultHeader, wrapping: Secret) async throws(StoreError) -> VaultKey? {
            try await core.vaults.turn(of: door.uid) { () async throws(StoreError) in
                guard case .locked(door.mark) = core.vaults.state(door.uid) else {
                    throw StoreError(.busy, "this uid's cache was locked or unlocked meanwhile")
                }
                let body = try body(door.mark)
                let wrapper = try Sealing(key: wrapping, purpose: Self.wrappingPurpose)
                guard let bytes = try? wrapper.open(body.wrapped, Self.wrappedKey, row: door.mark.id) else {
                    return nil
                }
                let key = VaultKey(uid: door.uid, mark: door.mark, key: Secret(bytes: bytes))
                let sealing = try Self.sealing(key)
                core.vaults.set(door.uid, .open(key, sealing))
                core.memory.raise(door.uid)
                // Encrypt rows that an interrupted lock skipped. Errors are ignored, because these rows stay readable.
                if let rest = try? core.database.readInline({ db in try unsealed(db, door.uid, sealing) }) {
                    try? await sealAll(rest, sealing)
                }
                return key
            }
        }

        /// Unlocks a uid's rows with a key stored before a restart, or returns `false` if the key is no longer current.
        public func takeBack(_ key: VaultKey) -> Bool {
            guard case .locked(key.mark) = core.vaults.state(key.uid), let body = try? body(key.mark),
                let sealing = try? Self.sealing(key), sealing.keyID == body.keyID
            else { return false }
            core.vaults.set(key.uid, .open(key, sealing))
            core.memory.raise(key.uid)
            return true
        }

        /// Loads the uids that have vaults, and marks all of these vaults as locked.
        func readAll() throws(StoreError) {
            try core.database.readInline { db in
                for row in try db.rows("SELECT id, uid, body FROM vaults LIMIT \(Self.most)") {
                    let id: String = try row.get("id")
                    let body: VaultBody? = try? core.sealing.decode(Self.vaultBody, of: row)
                    // A vault that cannot be decrypted stays locked until all of the uid's accounts are signed out.
                    core.vaults.set(try row.get("uid"), .locked(VaultMark(id: id, locks: body?.locks ?? -1)))
                }
            }
        }

        // MARK: Rows

        private static let vaultBody = SealedColumn("vaults", "body")
        private static let wrappedKey = SealedColumn("vaults", "key")
        private static let wrappingPurpose = "tokenbroker vault passphrase"

        private static func sealing(_ key: VaultKey) throws(StoreError) -> Sealing {
            try Sealing(key: key.key, purpose: "tokenbroker vault")
        }

        private static func wrapped(_ key: VaultKey, _ wrapping: Secret) throws(StoreError) -> Data {
            let wrapper = try Sealing(key: wrapping, purpose: wrappingPurpose)
            do {
                return try wrapper.seal(key.key.revealBytes(), wrappedKey, row: key.mark.id)
            } catch {
                throw StoreError(.failed, "a key could not be wrapped")
            }
        }

        private func body(_ mark: VaultMark) throws(StoreError) -> VaultBody {
            let damaged = StoreError(.corrupt, "a vault cannot be decrypted; signing out all accounts removes it")
            let body = try core.database.readInline { db -> VaultBody? in
                let row = try db.row("SELECT id, body FROM vaults WHERE id = :id", ["id": mark.id])
                return row.flatMap { try? core.sealing.decode(Self.vaultBody, of: $0) }
            }
            guard let body, body.locks == mark.locks else { throw damaged }
            return body
        }

        private func write(_ db: Database, _ body: VaultBody, uid: UInt32, id: String) throws {
            if body.locks == 1, try db.number("SELECT count(*) FROM vaults") >= Self.most {
                throw StoreError(.limitExceeded, "\(Self.most) uids already have a locked cache")
            }
            try db.insert(
                into: "vaults",
                ["id": id, "uid": uid, "body": try core.sealing.seal(body, as: Self.vaultBody, row: id)],
                onConflict: "(id) DO UPDATE SET body = excluded.body"
            )
        }

        /// A row that is not encrypted with the vault key.
        private struct Unsealed {
            let column: SealedColumn
            let id: String
        }

        private func unsealed(_ db: Database, _ uid: UInt32, _ sealing: Sealing) throws -> [Unsealed] {
            let columns = [
                Accounts.body, Tokens.body, RefreshTokens.token, StoreKeys.secret, OwnAuthorities.body,
                RotatedTokens.token,
            ]
            return try columns.flatMap { column in
                try db.rows(
                    """
                    SELECT id FROM \(column.table)
                    WHERE uid = :uid AND substr(\(column.column), 1, \(sealing.mark.count)) <> :mark
                    """,
                    ["uid": uid, "mark": sealing.mark]
                ).map { Unsealed(column: column, id: try $0.get("id")) }
            }
        }

        private func sealAll(_ rows: [Unsealed], _ sealing: Sealing) async throws(StoreError) {
            for start in stride(from: 0, to: rows.count, by: Self.sealedAtOnce) {
                let page = rows[start..<min(start + Self.sealedAtOnce, rows.count)]
                try await core.database.write { db in try seal(db, page, sealing) }
            }
        }

        /// Encrypts `rows` with the vault key, but skips rows that cannot currently be decrypted.
        private func seal(_ db: Database, _ rows: ArraySlice<Unsealed>, _ vault: Sealing) throws {
            for row in rows {
                let column = row.column
                guard
                    let found = try db.row(
                        "SELECT \(column.column) FROM \(column.table) WHERE id = :id",
                        ["id": row.id]
                    ), let value = try? core.sealing.open(try found.get(column.column), column, row: row.id)
                else { continue }
                try db.run(
                    "UPDATE \(column.table) SET \(column.column) = :value WHERE id = :id",
                    ["id": row.id, "value": try vault.seal(value, column, row: row.id)]
                )
            }
        }
    }
}
