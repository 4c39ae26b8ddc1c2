import Crypto
import DurableSQLite
import Foundation
import GRDB
public import Logging
public import Moments
public import OAuth
public import Storage
import Synchronization

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

    /// The greatest number of accounts of one uid.
    public static let accountsPerUID = 10_000
    /// The greatest number of access tokens of one account; those that end first are removed first.
    public static let tokensPerAccount = 64
    /// The greatest number of sign-outs remembered for one uid's accounts; older ones count for all its accounts.
    public static let signOutsPerUID = 1_000
    /// The greatest number of sign-outs that wait for an authority.
    public static let pendingSignOutsAtMost = 10_000

    let database: DurableDatabase
    let sealing: Sealing
    let clock: MomentClock
    let memory = Memory()
    let vaults = Vaults()
    /// The secret mixed into the passphrases of vaults, so that the database alone does not help to guess one.
    public let vaultPepper: Secret
    private let accountKey: SymmetricKey
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
            migrations: Migrations.all,
            sealing: sealing,
            clock: options.clock
        )
        database.logger = options.logger
        self.database = try DurableDatabase(database)
        self.sealing = sealing
        clock = options.clock
        accountKey = SymmetricKey(data: sealing.derived("accounts").revealBytes())
        vaultPepper = sealing.derived("vault passphrases")
        try readVaults()
    }

    /// The id of an account: the same for the same uid, authority and subject, without revealing the person.
    public func accountID(uid: UInt32, authority: String, subject: String) -> String {
        opaque("\(uid)\u{1F}\(authority)\u{1F}\(subject)")
    }

    /// The id that the accounts of one person share at all uids.
    func personID(authority: String, subject: String) -> String { opaque("person\u{1F}\(authority)\u{1F}\(subject)") }

    private func opaque(_ text: String) -> String {
        let mac = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: accountKey)
        return Base64URL.encode(Data(mac.prefix(16)))
    }

    /// The number of writes that may have changed an answer to this uid; kept in memory, so no disk is awaited.
    public func generation(uid: UInt32) -> Int64 { memory.generation(uid) }

    /// Checks the database; the faults found, empty if it is sound.
    public func check() async throws(StoreError) -> [String] { try await database.check() }

    /// Moves what the write-ahead log holds into the database file.
    public func checkpoint() async throws(StoreError) { try await database.checkpoint() }

    /// Empties the write-ahead log if nothing was written since the last call; to be called about every second.
    public func settle() async { await database.settle() }

    /// Closes the cache; every later call fails.
    public func close() throws(StoreError) { try database.close() }

    /// The id of a row whose identity is the given parts.
    static func rowID(_ parts: [String]) -> String {
        Base64URL.encode(Data(SHA256.hash(data: Data(parts.joined(separator: "\u{1F}").utf8)).prefix(16)))
    }
}

/// The cache's state in memory: generations, and damaged rows that are yet to be set aside.
final class Memory: Sendable {
    /// The greatest number of damaged rows remembered until they are set aside.
    private static let mostDamaged = 64

    private let generations = Mutex<[UInt32: Int64]>([:])
    private let damaged = Mutex<Set<DamagedRow>>([])

    func generation(_ uid: UInt32) -> Int64 { generations.withLock { $0[uid, default: 0] } }

    func raise(_ uid: UInt32) {
        generations.withLock { $0[uid, default: 0] += 1 }
    }

    func remember(_ damage: DamagedRow) {
        damaged.withLock { if $0.count < Self.mostDamaged { _ = $0.insert(damage) } }
    }

    func takeDamaged() -> Set<DamagedRow> {
        damaged.withLock { rows in
            defer { rows = [] }
            return rows
        }
    }
}
