import DurableSQLite
import Foundation
import GRDB
public import Logging
public import Moments
public import OAuth
public import Storage

/// This machine's cache: the accounts of each uid, and their tokens.
///
/// Reads are synchronous and do not wait for a writer; a write is on the disk when it returns. One daemon has the cache
/// open.
public struct TokenCache: Sendable {
    /// The place, key and clock of a cache.
    public struct Options: Sendable {
        /// The state directory.
        public let directory: String
        /// The database in it.
        public let file: String
        /// The cache key: 32 bytes.
        public let key: Secret
        /// The clock that deadlines go by.
        public let clock: MomentClock
        /// Warns of rows that are set aside because they do not open.
        public let logger: Logger?

        /// Names the place, key and clock of a cache.
        public init(
            directory: String,
            file: String = "cache.sqlite",
            key: Secret,
            clock: MomentClock,
            logger: Logger? = nil
        ) {
            self.directory = directory
            self.file = file
            self.key = key
            self.clock = clock
            self.logger = logger
        }
    }

    let core: CacheCore
    private let lock: LockFile

    /// Opens the cache, making it if there is none.
    ///
    /// - Parameter options: The place, key and clock.
    /// - Returns: The cache.
    /// - Throws: `inUse`, naming the process, if another daemon has it open; a database of another key or a newer
    ///   version is left as it is.
    public static func open(_ options: Options) throws(StoreError) -> TokenCache {
        try TokenCache(options, Claim(options))
    }

    /// Opens the cache that this process has already claimed.
    public static func open(_ options: Options, _ claim: Claim) throws(StoreError) -> TokenCache {
        try TokenCache(options, claim)
    }

    /// The right to be the one daemon that has a cache open, for as long as it is kept.
    public struct Claim: Sendable {
        fileprivate let lock: LockFile

        /// Claims the cache of `options` without reading its key.
        ///
        /// - Throws: `inUse`, naming the process, if another daemon has it open.
        public init(_ options: Options) throws(StoreError) {
            lock = try LockFile("\(options.file).lock", in: StateDirectory(options.directory))
        }
    }

    private init(_ options: Options, _ claim: Claim) throws(StoreError) {
        let directory = try StateDirectory(options.directory)
        let sealing = try Sealing(key: options.key, purpose: "tokenbroker cache")
        lock = claim.lock
        var database = DurableDatabase.Options(
            directory: directory,
            file: options.file,
            migrations: CacheSchema.steps,
            sealing: sealing,
            clock: options.clock
        )
        database.logger = options.logger
        core = CacheCore(database: try DurableDatabase(database), sealing: sealing, clock: options.clock)
        try vaults.readAll()
    }

    /// The accounts of each uid.
    public var accounts: Accounts { Accounts(core: core) }
    /// The access tokens of accounts, each with its ID token.
    public var tokens: Tokens { Tokens(core: core) }
    /// The newest refresh token of each account, client and policy.
    public var refreshTokens: RefreshTokens { RefreshTokens(core: core) }
    /// The sign-outs.
    public var signOuts: SignOuts { SignOuts(core: core) }
    /// The vaults of uids that have locked their rows by a passphrase.
    public var vaults: Vaults { Vaults(core: core) }
    /// The keys that programs keep for stores of their own.
    public var storeKeys: StoreKeys { StoreKeys(core: core) }

    /// Writes an account with the tokens that were issued for it, in one transaction.
    ///
    /// - Parameters:
    ///   - unit: The account and tokens.
    ///   - expectedGeneration: The ``SignOuts/generation(uid:)`` from before the tokens were requested; nil if sign-outs
    ///     are not to be checked.
    /// - Returns: The account as it is now.
    /// - Throws: `signedOut` if the account, or everybody of the uid, was signed out since; nothing is written then.
    @discardableResult
    public func store(_ unit: StoreUnit, expectedGeneration: Int64?) async throws(StoreError) -> AccountRow {
        try await core.setDamagedAside()
        let now = core.clock.now
        let uid = unit.account.uid
        let id = accounts.id(uid: uid, authority: unit.account.authority, subject: unit.account.subject)
        let account = try await core.database.write { db in
            if let expectedGeneration, try signOuts.isSignedOut(db, uid, id, since: expectedGeneration) {
                throw StoreError(.signedOut, "the account was signed out meanwhile")
            }
            try accounts.upsert(db, unit.account, id: id, at: now)
            if let token = unit.token { try tokens.insert(db, token, account: id) }
            if let token = unit.refreshToken { try refreshTokens.insert(db, token, uid: uid, account: id) }
            guard let row = try accounts.get(db, uid: uid, id: id) else {
                throw StoreError(.corrupt, "an account does not open")
            }
            return row
        }
        core.memory.raise(uid)
        return account
    }

    /// Counts a uid's accounts, and its tokens that have not ended, without opening a row.
    public func counts(uid: UInt32) throws(StoreError) -> (accounts: Int64, tokens: Int64) {
        let now = core.clock.now
        return try core.database.readInline { db in
            let accounts = try db.number("SELECT count(*) FROM accounts WHERE uid = :uid", ["uid": uid])
            let tokens = try db.number(
                """
                SELECT count(*) FROM tokens WHERE uid = :uid AND expires_wall > :wall
                    AND NOT (expires_boot_id = :boot_id AND expires_boot <= :boot)
                """,
                ["uid": uid] + now.arguments
            )
            return (accounts, tokens)
        }
    }

    /// Deletes tokens that have ended, and sets aside rows that do not open.
    ///
    /// - Parameter limit: The greatest number of rows of each kind.
    /// - Returns: The number of rows deleted.
    /// - Throws: The error that kept the cache from writing.
    @discardableResult
    public func sweep(limit: Int) async throws(StoreError) -> Int {
        try await core.setDamagedAside()
        return try await core.database.write { db, now in
            try ["tokens", "refresh_tokens", "rotated_tokens"].reduce(0) { count, table in
                try count + db.sweep(table, "expires_wall", upTo: now.wall, limit: limit)
            }
        }
    }

    /// The number of writes that may have changed an answer to this uid; kept in memory, so no disk is awaited.
    public func generation(uid: UInt32) -> Int64 { core.memory.generation(uid) }

    /// Calls a function after each change of ``generation(uid:)``, from the task that made it; the last one given counts.
    ///
    /// - Parameter changed: A function that does not wait.
    public func follow(_ changed: @escaping @Sendable (_ uid: UInt32) -> Void) { core.memory.follow(changed) }

    /// Checks the database; the faults found, empty if it is sound.
    public func check() async throws(StoreError) -> [String] { try await core.database.check() }

    /// Empties the write-ahead log if nothing was written since the last call; to be called about every second.
    public func settle() async { await core.database.settle() }

    /// Closes the cache; every later call fails.
    public func close() throws(StoreError) { try core.database.close() }
}
