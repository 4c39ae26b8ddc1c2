import Crypto
import DurableSQLite
import FlowModel
import Foundation
import GRDB
public import Moments
public import OAuth
public import Storage

/// What the authority knows: users, attempts, flows, sessions, grants, clients, keys, mail and audit.
///
/// Several daemons may open one database. Each public method is one transaction; what it has changed is on the disk
/// when it returns. Sealed columns open under the authority key only.
public struct AuthorityStore: Sendable {
    /// What a store is opened with.
    public struct Options: Sendable {
        /// The state directory.
        public let directory: String
        /// The database in it.
        public let file: String
        /// The authority key: 32 bytes.
        public let key: Secret
        /// What time it is.
        public let clock: MomentClock

        /// What a store is opened with.
        public init(directory: String, file: String = "authority.sqlite", key: Secret, clock: MomentClock) {
            self.directory = directory
            self.file = file
            self.key = key
            self.clock = clock
        }
    }

    /// Secrets that follow from the authority key, the same for all daemons of one authority.
    public struct Derived: Sendable {
        /// Mixed into passwords before they are hashed.
        public let pepper: Secret
        /// Hashes names, so that a database tells nobody who signs in.
        public let lockKey: Secret
    }

    /// Secrets that follow from the authority key.
    public let derived: Derived

    let core: Core

    /// Opens the store, making it if there is none.
    ///
    /// - Parameter options: Where it is, its key and its clock.
    /// - Returns: The store.
    /// - Throws: What `StoreError` tells apart; a database of another key or a newer version is left as it is.
    public static func open(_ options: Options) throws(StoreError) -> AuthorityStore {
        try open(options, acceptsDamage: false)
    }

    static func open(_ options: Options, acceptsDamage: Bool) throws(StoreError) -> AuthorityStore {
        let sealing = try Sealing(key: options.key, purpose: "tokenbroker authority")
        let lockKey = sealing.derived("lock key")
        var database = DurableDatabase.Options(
            directory: try StateDirectory(options.directory),
            file: options.file,
            migrations: Migrations.all,
            sealing: sealing,
            clock: options.clock
        )
        database.acceptsDamage = acceptsDamage
        database.damaged = { [clock = options.clock] db, damage in
            let event = AuditEvent(
                .storeRowDamaged,
                correlationID: .random(),
                detail: ["table": damage.column.table, "column": damage.column.column]
            )
            try Audit.append(db, [event], at: clock.now)
        }
        let core = Core(
            database: try DurableDatabase(database),
            sealing: sealing,
            clock: options.clock,
            lockKey: SymmetricKey(data: lockKey.revealBytes())
        )
        return AuthorityStore(derived: Derived(pepper: sealing.derived("pepper"), lockKey: lockKey), core: core)
    }

    private init(derived: Derived, core: Core) {
        self.derived = derived
        self.core = core
    }

    /// Raised by every change of clients, keys and of who may sign in; what was decided by an older one is decided anew.
    public func epoch() async throws(StoreError) -> Int64 {
        try await core.database.read { db in try Epoch.value(db) }
    }

    /// What is wrong with the database; empty if it is sound.
    public func check() async throws(StoreError) -> [String] { try await core.database.check() }

    /// Moves what the write-ahead log holds into the database file.
    public func checkpoint() async throws(StoreError) { try await core.database.checkpoint() }

    /// Empties the write-ahead log if nobody has written since the last call; to be called every second or so.
    public func settle() async { await core.database.settle() }

    /// Closes the store; whatever is called afterwards fails.
    public func close() throws(StoreError) { try core.database.close() }

    /// The people.
    public var users: Users { Users(core: core) }
    /// The budgets of attempts.
    public var attempts: Budgets { Budgets(core: core) }
    /// The flows.
    public var flows: FlowTable { FlowTable(core: core) }
    /// The requests that wait for flows.
    public var requests: Requests { Requests(core: core) }
    /// The issuing of tokens.
    public var grants: Grants { Grants(core: core) }
    /// The refresh-token families.
    public var families: Families { Families(core: core) }
    /// The sessions.
    public var sessions: Sessions { Sessions(core: core) }
    /// The registered programs.
    public var clients: Clients { Clients(core: core) }
    /// What people agreed to.
    public var consents: Consents { Consents(core: core) }
    /// The signing keys.
    public var keys: SigningKeys { SigningKeys(core: core) }
    /// The mails that are to be sent.
    public var outbox: Outbox { Outbox(core: core) }
    /// What happened.
    public var audit: Audit { Audit(core: core) }
}

/// What all tables of the store share.
struct Core: Sendable {
    let database: DurableDatabase
    let sealing: Sealing
    let clock: MomentClock
    let lockKey: SymmetricKey

    /// A name that tells nobody what it was made from.
    func mac(_ label: String, _ text: String) -> String {
        Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data("\(label)\u{1F}\(text)".utf8), using: lockKey)))
    }
}

/// The number that tells whether what was decided by still stands.
enum Epoch {
    static func value(_ db: Database) throws -> Int64 { try db.number("SELECT value FROM epoch WHERE id = 1") }

    static func raise(_ db: Database) throws { try db.run("UPDATE epoch SET value = value + 1 WHERE id = 1") }

    static func require(_ expected: Int64, _ db: Database) throws {
        guard try value(db) == expected else {
            throw StoreError(.stale, "clients, keys or users were changed meanwhile")
        }
    }
}

/// Lists of texts and small maps as JSON text.
enum Texts {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw StoreError(.corrupt, "a list in a row is not JSON")
        }
    }
}
