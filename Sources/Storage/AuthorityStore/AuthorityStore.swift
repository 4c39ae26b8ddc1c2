import Crypto
import DurableSQLite
import FlowModel
import Foundation
import GRDB
public import Logging
public import Moments
public import OAuth
public import Storage

/// The authority's database: users, attempts, flows, sessions, grants, clients, keys, mail and the audit log.
///
/// Several daemons can open it. Each public method is one transaction, whose changes are on disk when it returns.
public final class AuthorityStore: Sendable {
    /// The location, key and clock of a store.
    public struct Options: Sendable {
        /// The path of the state directory.
        public let directory: String
        /// The name of the database file.
        public let file: String
        /// The authority key: 32 bytes.
        public let key: Secret
        /// The tenant of the daemon that opens the store, or `nil` if it has none, for example during a restore.
        public let tenant: String?
        /// The clock to compare deadlines with.
        public let clock: MomentClock
        /// The logger for warnings about rows that cannot be decrypted and are set aside.
        public let logger: Logger?

        /// Creates options for a store.
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

    /// Secrets that are derived from the authority key, and are the same in all daemons of an authority.
    public struct Derived: Sendable {
        /// The secret that is mixed into passwords before they are hashed.
        public let pepper: Secret
        /// The key for hashing sign-in names and addresses, so that the hashes do not reveal who signs in.
        public let lockKey: Secret
        /// The key for form tokens, and for authorization codes that stay the same if a flow's last answer is sent
        /// again.
        public let formKey: Secret
    }

    /// The secrets that are derived from the authority key.
    public let derived: Derived

    let core: Core

    /// Opens or creates the store.
    ///
    /// - Throws: A `StoreError`. A database that uses another key or was written by a newer version is not changed.
    public static func open(_ options: Options) throws(StoreError) -> AuthorityStore {
        try open(options, acceptsDamage: false)
    }

    /// The purpose string for deriving keys from the authority key.
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

    /// Returns the epoch, which increases when clients, keys or groups change, or when a user is enabled, disabled or
    /// deleted.
    ///
    /// A decision that was based on an older epoch must be made again.
    public func epoch() async throws(StoreError) -> Int64 {
        try await core.database.find(isOneStatement: true) { db in try Epoch.value(db) }
    }

    /// Returns the faults in the database, or an empty array if it is intact.
    public func check() async throws(StoreError) -> [String] { try await core.database.check() }

    /// Empties the write-ahead log if nothing was written since the last call, and must be called about once a second.
    public func settle() async { await core.database.settle() }

    /// Closes the store, after which all calls fail.
    public func close() throws(StoreError) { try core.database.close() }

    /// The state directory.
    public var directory: StateDirectory { core.database.directory }

    /// The users.
    public var users: Users { Users(core: core) }
    /// The credentials that users have enrolled, each for one owner.
    public var enrolments: Enrolments { Enrolments(core: core) }
    /// The users' authenticator apps.
    public var authenticators: Authenticators { Authenticators(core: core) }
    /// The devices on which users have passed a second factor.
    public var devices: Devices { Devices(core: core) }
    /// The attempt budgets.
    public var attempts: Budgets { Budgets(core: core) }
    /// The table of flows.
    public var flows: FlowTable { FlowTable(core: core) }
    /// The requests that are waiting for flows.
    public var requests: Requests { Requests(core: core) }
    /// The operations that grant tokens.
    public var grants: Grants { Grants(core: core) }
    /// The authorization codes.
    public var codes: Codes { Codes(core: core) }
    /// The pushed authorization requests.
    public var pushedRequests: PushedRequests { PushedRequests(core: core) }
    /// The device authorization requests.
    public var deviceCodes: DeviceCodes { DeviceCodes(core: core) }
    /// The ids of used assertions and revoked access tokens.
    public var spentIDs: SpentIDs { SpentIDs(core: core) }
    /// The refresh-token families.
    public var families: Families { Families(core: core) }
    /// The table of sessions.
    public var sessions: Sessions { Sessions(core: core) }
    /// The users' remembered authentications.
    public var remembered: RememberedProofs { RememberedProofs(core: core) }
    /// The tickets that let flows continue in browsers.
    public var tickets: Tickets { Tickets(core: core) }
    /// The browsers that were sent to an identity provider.
    public var departures: Departures { Departures(core: core) }
    /// The users' identities at identity providers.
    public var identities: Identities { Identities(core: core) }
    /// The sign-out notifications to clients.
    public var logouts: Logouts { Logouts(core: core) }
    /// The registered clients.
    public var clients: Clients { Clients(core: core) }
    /// The scopes that users consented to, by client.
    public var consents: Consents { Consents(core: core) }
    /// The authority's signing keys.
    public var keys: SigningKeys { SigningKeys(core: core) }
    /// The e-mail messages that are waiting to be sent.
    public var outbox: Outbox { Outbox(core: core) }
    /// The audit log: security events in order.
    public var audit: Audit { Audit(core: core) }
}

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

    /// Returns a keyed hash of `text`, which does not reveal the text and is different for each label.
    func mac(_ label: String, _ text: String) -> String {
        Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data("\(label)\u{1F}\(text)".utf8), using: lockKey)))
    }
}

extension Core {
    /// Deletes rows that expired at least `past` ago, and returns how many rows it deleted.
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

/// The counter that shows whether a decision is still based on the current state.
enum Epoch {
    static func value(_ db: Database) throws -> Int64 { try db.number("SELECT value FROM epoch WHERE id = 1") }

    static func raise(_ db: Database) throws { try db.run("UPDATE epoch SET value = value + 1 WHERE id = 1") }

    static func require(_ expected: Int64, _ db: Database) throws {
        guard try value(db) == expected else {
            throw StoreError(.stale, "clients, keys or users were changed meanwhile")
        }
    }
}

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
