import DurableSQLite
import Foundation
import GRDB
public import Logging
public import Moments
public import OAuth
public import Storage

/// The machine's cache of accounts and tokens, with a separate part for each uid.
///
/// Reads do not wait for writes, finished writes are on disk, and only one daemon at a time can open the cache.
public struct TokenCache: Sendable {
    /// The location, key and clock of a cache.
    public struct Options: Sendable {
        /// The path of the state directory.
        public let directory: String
        /// The name of the database file in the state directory.
        public let file: String
        /// The 32-byte cache key.
        public let key: Secret
        /// The clock that determines when deadlines pass.
        public let clock: MomentClock
        /// The logger that receives a warning for each row that cannot be decrypted, or `nil` to log nothing.
        public let logger: Logger?

        /// Creates options for opening a cache.
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

    /// Opens the cache, and creates it if it does not exist.
    ///
    /// - Throws: `inUse`, with the pid if known, if another daemon has the cache open. If the database has a different
    ///   key or a newer version, another error is thrown and the database is not changed.
    public static func open(_ options: Options) throws(StoreError) -> TokenCache {
        try TokenCache(options, Claim(options))
    }

    /// Opens a cache that this process has already claimed.
    public static func open(_ options: Options, _ claim: Claim) throws(StoreError) -> TokenCache {
        try TokenCache(options, claim)
    }

    /// The exclusive right to open a cache, held for as long as this value exists.
    public struct Claim: Sendable {
        fileprivate let lock: LockFile

        /// Claims the cache that `options` describes, without reading the cache key.
        ///
        /// - Throws: `inUse`, with the pid if known, if another daemon has the cache open.
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

    /// The accounts in the cache, each of which belongs to one uid.
    public var accounts: Accounts { Accounts(core: core) }
    /// The accounts' access tokens, each with its ID token.
    public var tokens: Tokens { Tokens(core: core) }
    /// The newest refresh token for each account, client and policy.
    public var refreshTokens: RefreshTokens { RefreshTokens(core: core) }
    /// The stored sign-outs, including the sign-outs that still have to be completed at the authorities.
    public var signOuts: SignOuts { SignOuts(core: core) }
    /// The vaults of the uids that have locked their rows with a passphrase.
    public var vaults: Vaults { Vaults(core: core) }
    /// The keys that programs use to encrypt their own stores.
    public var storeKeys: StoreKeys { StoreKeys(core: core) }

    /// Stores an account and the tokens that were issued for the account, in one transaction.
    ///
    /// `expectedGeneration` is the value of ``SignOuts/generation(uid:)`` before the tokens were requested, or `nil` to
    /// skip the sign-out check.
    ///
    /// - Throws: `signedOut`, without writing, if the account or the whole uid has been signed out since then.
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
                throw StoreError(.corrupt, "an account cannot be decrypted")
            }
            return row
        }
        core.memory.raise(uid)
        return account
    }

    /// Returns how many accounts and unexpired tokens a uid has, without decrypting any row.
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

    /// Deletes up to `limit` expired rows per table, sets damaged rows aside, and returns the number of deleted rows.
    @discardableResult
    public func sweep(limit: Int) async throws(StoreError) -> Int {
        try await core.setDamagedAside()
        return try await core.database.write { db, now in
            try ["tokens", "refresh_tokens", "rotated_tokens"].reduce(0) { count, table in
                try count + db.sweep(table, "expires_wall", upTo: now.wall, limit: limit)
            }
        }
    }

    /// Returns the number of changes so far that could affect a response to this uid.
    public func generation(uid: UInt32) -> Int64 { core.memory.generation(uid) }

    /// Sets the function that is called after each change of ``generation(uid:)``, and replaces any earlier function.
    ///
    /// The function runs in the task that made the change and must not block.
    public func follow(_ changed: @escaping @Sendable (_ uid: UInt32) -> Void) { core.memory.follow(changed) }

    /// Checks the database and returns the faults found, or an empty list if the database is intact.
    public func check() async throws(StoreError) -> [String] { try await core.database.check() }

    /// Empties the write-ahead log if nothing has been written since the previous call; call it about once a second.
    public func settle() async { await core.database.settle() }

    /// Closes the cache, after which every call fails.
    public func close() throws(StoreError) { try core.database.close() }
}
