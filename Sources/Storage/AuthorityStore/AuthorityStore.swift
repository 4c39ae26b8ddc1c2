import Crypto
import DurableSQLite
import FlowModel
import Foundation
import GRDB
public import Logging
public import Moments
public import OAuth
public import Storage

/// The authority's database: users, attempts, flows, sessions, grants, clients, keys, mail and audit.
///
/// Several daemons may open one database. Each public method is one transaction; what it has changed is on the disk
/// when it returns. Sealed columns open under the authority key only.
///
/// A class, since every request hands it on.
public final class AuthorityStore: Sendable {
    /// The place, key and clock of a store.
    public struct Options: Sendable {
        /// The state directory.
        public let directory: String
        /// The database in it.
        public let file: String
        /// The authority key: 32 bytes.
        public let key: Secret
        /// The tenant whose daemon opens it; nil to open it for none, as a restore does.
        public let tenant: String?
        /// The clock that deadlines go by.
        public let clock: MomentClock
        /// Warns of rows that are set aside because they do not open.
        public let logger: Logger?

        /// Names the place, key, tenant and clock of a store.
        public init(
            directory: String,
            file: String = "authority.sqlite",
            key: Secret,
            tenant: String? = nil,
            clock: MomentClock,
            logger: Logger? = nil
        ) {
            self.directory = directory
            self.file = file
            self.key = key
            self.tenant = tenant
            self.clock = clock
            self.logger = logger
        }
    }

    /// Secrets that follow from the authority key, the same for all daemons of one authority.
    public struct Derived: Sendable {
        /// The secret mixed into passwords before they are hashed.
        public let pepper: Secret
        /// The key of hashes of names, so that a database does not reveal who signs in.
        public let lockKey: Secret
        /// The key of tokens in forms, and of codes that are given again if a last answer is repeated.
        public let formKey: Secret
    }

    /// Secrets that follow from the authority key.
    public let derived: Derived

    let core: Core

    /// Opens the store, making it if there is none.
    ///
    /// - Parameter options: The place, key and clock.
    /// - Returns: The store.
    /// - Throws: A `StoreError`; a database of another key or a newer version is left as it is.
    public static func open(_ options: Options) throws(StoreError) -> AuthorityStore {
        try open(options, acceptsDamage: false)
    }

    /// The purpose of the keys that follow from the authority key.
    static let purpose = "tokenbroker authority"

    static func open(_ options: Options, acceptsDamage: Bool) throws(StoreError) -> AuthorityStore {
        let sealing = try Sealing(key: options.key, purpose: purpose)
        let lockKey = sealing.derived("lock key")
        var database = DurableDatabase.Options(
            directory: try StateDirectory(options.directory),
            file: options.file,
            migrations: AuthoritySchema.steps,
            sealing: sealing,
            clock: options.clock
        )
        database.acceptsDamage = acceptsDamage
        database.logger = options.logger
        database.damaged = { [clock = options.clock] db, damage in
            let event = AuditEvent(
                .storeRowDamaged,
                user: damage.column == Users.profile ? UserID(oid: damage.row) : nil,
                correlationID: .random(),
                detail: ["table": damage.column.table, "column": damage.column.column]
            )
            try Audit.append(db, [event], at: clock.now)
        }
        let core = Core(
            database: try DurableDatabase(database),
            sealing: sealing,
            clock: options.clock,
            tenant: options.tenant,
            lockKey: SymmetricKey(data: lockKey.revealBytes())
        )
        let derived = Derived(
            pepper: sealing.derived("pepper"),
            lockKey: lockKey,
            formKey: sealing.derived("form key")
        )
        return AuthorityStore(derived: derived, core: core)
    }

    private init(derived: Derived, core: Core) {
        self.derived = derived
        self.core = core
    }

    /// The number of changes to clients, keys and users' right to sign in; decisions made at an older epoch are made
    /// anew.
    public func epoch() async throws(StoreError) -> Int64 {
        try await core.database.find(isOneStatement: true) { db in try Epoch.value(db) }
    }

    /// Checks the database; the faults found, empty if it is sound.
    public func check() async throws(StoreError) -> [String] { try await core.database.check() }

    /// Empties the write-ahead log if nothing was written since the last call; to be called about every second.
    public func settle() async { await core.database.settle() }

    /// Closes the store; every later call fails.
    public func close() throws(StoreError) { try core.database.close() }

    /// The state directory.
    public var directory: StateDirectory { core.database.directory }

    /// The people.
    public var users: Users { Users(core: core) }
    /// The credentials that people have enrolled at owners.
    public var enrolments: Enrolments { Enrolments(core: core) }
    /// The authenticator apps of people.
    public var authenticators: Authenticators { Authenticators(core: core) }
    /// The devices at which people have proved a second factor.
    public var devices: Devices { Devices(core: core) }
    /// The budgets of attempts.
    public var attempts: Budgets { Budgets(core: core) }
    /// The flows.
    public var flows: FlowTable { FlowTable(core: core) }
    /// The requests that wait for flows.
    public var requests: Requests { Requests(core: core) }
    /// The issuing of tokens.
    public var grants: Grants { Grants(core: core) }
    /// The authorization codes.
    public var codes: Codes { Codes(core: core) }
    /// The pushed authorization requests.
    public var pushedRequests: PushedRequests { PushedRequests(core: core) }
    /// The requests of devices.
    public var deviceCodes: DeviceCodes { DeviceCodes(core: core) }
    /// The ids that are used up.
    public var spentIDs: SpentIDs { SpentIDs(core: core) }
    /// The refresh-token families.
    public var families: Families { Families(core: core) }
    /// The sessions.
    public var sessions: Sessions { Sessions(core: core) }
    /// The proofs by which people are remembered.
    public var remembered: RememberedProofs { RememberedProofs(core: core) }
    /// The flows that browsers continue.
    public var tickets: Tickets { Tickets(core: core) }
    /// The browsers that are on their way to a provider.
    public var departures: Departures { Departures(core: core) }
    /// People as providers know them.
    public var identities: Identities { Identities(core: core) }
    /// The sign-outs that clients are told of.
    public var logouts: Logouts { Logouts(core: core) }
    /// The registered clients.
    public var clients: Clients { Clients(core: core) }
    /// The scopes that people consented to, by client.
    public var consents: Consents { Consents(core: core) }
    /// The signing keys.
    public var keys: SigningKeys { SigningKeys(core: core) }
    /// The mails that wait to be sent.
    public var outbox: Outbox { Outbox(core: core) }
    /// The audit: security events in order.
    public var audit: Audit { Audit(core: core) }
}

/// The database, keys and clock that all tables of the store share.
final class Core: Sendable {
    let database: DurableDatabase
    let sealing: Sealing
    let clock: MomentClock
    let tenant: String?
    let lockKey: SymmetricKey

    init(database: DurableDatabase, sealing: Sealing, clock: MomentClock, tenant: String?, lockKey: SymmetricKey) {
        self.database = database
        self.sealing = sealing
        self.clock = clock
        self.tenant = tenant
        self.lockKey = lockKey
    }

    /// A keyed hash of `text` that does not reveal it; `label` separates uses.
    func mac(_ label: String, _ text: String) -> String {
        Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data("\(label)\u{1F}\(text)".utf8), using: lockKey)))
    }
}

extension Core {
    /// Deletes rows whose time has ended, or has ended `past` ago; returns how many there were.
    func sweep(
        _ table: String,
        by key: String = "id",
        _ column: String = "expires_wall",
        endedFor past: Duration = .zero,
        limit: Int
    ) async throws(StoreError) -> Int {
        try await database.write { db, now in
            try db.sweep(table, by: key, column, upTo: now.wall - past.milliseconds, limit: limit)
        }
    }
}

/// The counter that tells whether an earlier decision still stands.
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
    static func encode(_ list: [String]) -> String { JSONValue.array(list.map { .string($0) }).text }

    static func encode(_ members: [String: String]) -> String {
        JSONValue.object(members.mapValues { .string($0) }).text
    }

    static func decode(_ type: [String].Type, _ text: String) throws -> [String] {
        guard let list = try json(text).strings else { throw fault }
        return list
    }

    static func decode(_ type: [String: String].Type, _ text: String) throws -> [String: String] {
        guard let members = try json(text).object else { throw fault }
        let texts = members.compactMapValues(\.string)
        guard texts.count == members.count else { throw fault }
        return texts
    }

    private static func json(_ text: String) throws -> JSONValue {
        do {
            return try StrictJSON.parse(Array(text.utf8))
        } catch {
            throw fault
        }
    }

    private static let fault = StoreError(.corrupt, "a list in a row is not JSON")
}
