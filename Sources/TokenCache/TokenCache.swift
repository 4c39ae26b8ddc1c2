import Crypto
import DurableSQLite
import Foundation
import GRDB
public import Moments
public import OAuth
public import Storage
import Synchronization

/// This machine's cache: who each uid has proved to be, and the tokens that came of it.
///
/// Reads are synchronous and touch no writer; what a write promises is on the disk when it returns. One daemon has it.
public struct TokenCache: Sendable {
    /// What a cache is opened with.
    public struct Options: Sendable {
        /// The state directory.
        public let directory: String
        /// The database in it.
        public let file: String
        /// The cache key: 32 bytes.
        public let key: Secret
        /// What time it is.
        public let clock: MomentClock

        /// What a cache is opened with.
        public init(directory: String, file: String = "cache.sqlite", key: Secret, clock: MomentClock) {
            self.directory = directory
            self.file = file
            self.key = key
            self.clock = clock
        }
    }

    /// How many accounts one uid has at most.
    public static let accountsPerUID = 10_000
    /// How many access tokens one account has at most; those that end first go first.
    public static let tokensPerAccount = 64
    /// How many sign-outs of single accounts are remembered for one uid; older ones count for all its accounts.
    public static let signOutsPerUID = 1_000
    /// How many sign-outs may wait for an authority.
    public static let pendingSignOutsAtMost = 10_000

    let database: DurableDatabase
    let sealing: Sealing
    let clock: MomentClock
    let memory = Memory()
    let vaults = Vaults()
    /// What is mixed into the passphrases of vaults, so that the database alone says nothing about a guess.
    public let vaultPepper: Secret
    private let accountKey: SymmetricKey
    private let lock: LockFile

    /// Opens the cache, making it if there is none.
    ///
    /// - Parameter options: Where it is, its key and its clock.
    /// - Returns: The cache.
    /// - Throws: `inUse`, naming the process, if another daemon has it; a database of another key or a newer version is
    ///   left as it is.
    public static func open(_ options: Options) throws(StoreError) -> TokenCache {
        try TokenCache(options, Claim(options))
    }

    /// Opens the cache that this process has claimed already.
    public static func open(_ options: Options, _ claim: Claim) throws(StoreError) -> TokenCache {
        try TokenCache(options, claim)
    }

    /// The right to be the one daemon that has a cache, for as long as it is kept.
    public struct Claim: Sendable {
        fileprivate let lock: LockFile

        /// Claims the cache of `options`, whose key is not looked at yet.
        ///
        /// - Throws: `inUse`, naming the process, if another daemon has it.
        public init(_ options: Options) throws(StoreError) {
            lock = try LockFile("\(options.file).lock", in: StateDirectory(options.directory))
        }
    }

    private init(_ options: Options, _ claim: Claim) throws(StoreError) {
        let directory = try StateDirectory(options.directory)
        let sealing = try Sealing(key: options.key, purpose: "tokenbroker cache")
        lock = claim.lock
        let database = DurableDatabase.Options(
            directory: directory,
            file: options.file,
            migrations: Migrations.all,
            sealing: sealing,
            clock: options.clock
        )
        self.database = try DurableDatabase(database)
        self.sealing = sealing
        clock = options.clock
        accountKey = SymmetricKey(data: sealing.derived("accounts").revealBytes())
        vaultPepper = sealing.derived("vault passphrases")
        try readVaults()
    }

    /// The id of an account: the same for the same uid, authority and subject, and telling nobody who it is.
    public func accountID(uid: UInt32, authority: String, subject: String) -> String {
        opaque("\(uid)\u{1F}\(authority)\u{1F}\(subject)")
    }

    /// What the accounts of one person have in common at all uids.
    func personID(authority: String, subject: String) -> String { opaque("person\u{1F}\(authority)\u{1F}\(subject)") }

    private func opaque(_ text: String) -> String {
        let mac = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: accountKey)
        return Base64URL.encode(Data(mac.prefix(16)))
    }

    /// Raised by every write that may change an answer to this uid; kept in memory, so no disk is awaited.
    public func generation(uid: UInt32) -> Int64 { memory.generation(uid) }

    /// What is wrong with the database; empty if it is sound.
    public func check() async throws(StoreError) -> [String] { try await database.check() }

    /// Moves what the write-ahead log holds into the database file.
    public func checkpoint() async throws(StoreError) { try await database.checkpoint() }

    /// Empties the write-ahead log if nobody has written since the last call; to be called every second or so.
    public func settle() async { await database.settle() }

    /// Closes the cache; whatever is called afterwards fails.
    public func close() throws(StoreError) { try database.close() }

    /// The row of things that are found by what they are, not by a number.
    static func rowID(_ parts: [String]) -> String {
        Base64URL.encode(Data(SHA256.hash(data: Data(parts.joined(separator: "\u{1F}").utf8)).prefix(16)))
    }
}

/// What the cache knows without asking the disk.
final class Memory: Sendable {
    /// How many damaged rows are remembered until they are set aside.
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
