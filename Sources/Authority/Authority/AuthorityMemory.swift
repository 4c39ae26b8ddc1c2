import AuthorityStore
import FlowModel
import Moments
import OAuth
import Storage
import Synchronization
import Tokens

/// The keys and clients as of the store's epoch number ``epoch``.
struct AuthoritySnapshot: Sendable {
    let epoch: Int64
    let ring: KeyRing
    /// The key set that verifies every token, as JSON (RFC 7517 §5).
    let jwks: [UInt8]
    /// Configured and registered clients by id.
    let clients: [String: OAuthClient]
    /// The allowed audiences of local access tokens: the APIs' audiences, and the client ids.
    let audiences: [String]
}

/// A cache of keys, clients and enabled users.
///
/// Every transaction that depends on cached values verifies that the store's epoch has not changed.
final class AuthorityMemory: Sendable {
    /// The maximum number of users cached as enabled.
    ///
    /// When it is exceeded, the cache is emptied.
    static let mostEnabled = 10_000
    /// How long the cache is used without comparing its epoch with the store's.
    static let longestBelief: Duration = .seconds(5)

    private let store: AuthorityStore
    private let settings: @Sendable () -> AuthoritySettings
    private let clock: MomentClock
    private let copy = Mutex<Copy?>(nil)
    /// The signatures of tokens that have already been verified.
    let signatures = KnownSignatures()
    /// A cache of completed client credentials requests.
    let requests = KnownRequests()

    private struct KnownClients {
        let byID: [String: OAuthClient]
        let audiences: [String]
    }

    private struct Copy {
        let epoch: Int64
        let ring: KeyRing
        let jwks: [UInt8]
        let registered: [ClientRow]
        var checkedAt: Moment
        /// The users that exist and are enabled, according to lookups in this epoch.
        var enabled: Set<UserID> = []
        /// All clients, with the settings that they were derived from.
        var clients: (settings: AuthoritySettings, known: KnownClients)?
    }

    init(store: AuthorityStore, settings: @escaping @Sendable () -> AuthoritySettings, clock: MomentClock) {
        self.store = store
        self.settings = settings
        self.clock = clock
    }

    /// Returns the cache, after comparing it with the store if the last comparison is more than five seconds old.
    func snapshot() async throws -> AuthoritySnapshot {
        let now = clock.now
        if let copy = copy.withLock({ $0 }), Self.isBelieved(copy, at: now) { return snapshot(copy) }
        return try await compared()
    }

    /// Returns the cache after comparing it with the store.
    func compared() async throws -> AuthoritySnapshot {
        let now = clock.now
        let epoch = try await store.epoch()
        if var same = copy.withLock({ $0 }), same.epoch == epoch {
            same.checkedAt = now
            copy.withLock { if $0?.epoch == epoch { $0?.checkedAt = now } }
            return snapshot(same)
        }
        let ring = try KeyRing(rows: try await store.keys.list())
        let fresh = Copy(
            epoch: epoch,
            ring: ring,
            jwks: ring.jwks.bytes,
            registered: try await store.clients.list(),
            checkedAt: now
        )
        copy.withLock { if ($0?.epoch ?? .min) <= epoch { $0 = fresh } }
        return snapshot(fresh)
    }

    /// Whether a user exists and may sign in.
    ///
    /// Looked up once per epoch, because enabling, disabling or deleting a user increments the epoch.
    func isEnabled(_ user: UserID) async throws -> Bool {
        let now = clock.now
        let before = copy.withLock { $0 }
        if let before, Self.isBelieved(before, at: now) {
            if before.enabled.contains(user) { return true }
        } else {
            _ = try await compared()
        }
        let epoch = copy.withLock { $0?.epoch }
        guard try await store.users.get(user)?.enabled == true else { return false }
        copy.withLock { copy in
            // A result is cached only if the epoch did not change during the lookup.
            guard copy?.epoch == epoch else { return }
            if (copy?.enabled.count ?? 0) >= Self.mostEnabled { copy?.enabled = [] }
            copy?.enabled.insert(user)
        }
        return true
    }

    /// The last copy, regardless of its age, or `nil` if there is none yet.
    var last: AuthoritySnapshot? { copy.withLock { $0 }.map(snapshot) }

    /// The key set as last read, or `nil` if the epoch must be compared again.
    var believedJWKS: [UInt8]? {
        let now = clock.now
        return copy.withLock { $0.flatMap { Self.isBelieved($0, at: now) ? $0.jwks : nil } }
    }

    /// Makes the next request compare the epoch.
    func forget() {
        copy.withLock { $0 = nil }
    }

    private func snapshot(_ copy: Copy) -> AuthoritySnapshot {
        let clients = clients(copy)
        return AuthoritySnapshot(
            epoch: copy.epoch,
            ring: copy.ring,
            jwks: copy.jwks,
            clients: clients.byID,
            audiences: clients.audiences
        )
    }

    /// Returns all clients and the allowed audiences.
    ///
    /// The result is rebuilt only after a reload has changed the settings.
    private func clients(_ known: Copy) -> KnownClients {
        let settings = settings()
        // Comparing settings that share their storage is fast.
        if let clients = known.clients, clients.settings == settings { return clients.known }
        let registered = known.registered.map { OAuthClient($0, settings: settings) }
        let byID = Dictionary(registered.map { ($0.id, $0) }) { first, _ in first }.merging(settings.clients) { $1 }
        let clients = KnownClients(byID: byID, audiences: settings.apis.values.map(\.audience) + byID.keys)
        copy.withLock { if $0?.epoch == known.epoch { $0?.clients = (settings, clients) } }
        return clients
    }

    private static func isBelieved(_ copy: Copy, at now: Moment) -> Bool {
        copy.checkedAt.bootID == now.bootID
            && (0..<longestBelief.milliseconds).contains(now.boot - copy.checkedAt.boot)
    }
}

extension OAuthClient {
    /// Creates a client from the database row of a registered client.
    init(_ row: ClientRow, settings: AuthoritySettings) {
        let client = row.client
        let named = Set(client.scopes.compactMap { $0.split(separator: "/").first.map(String.init) })
        let apis = settings.apis.values.filter { api in
            (client.audience == nil || api.audience == client.audience) && (named.isEmpty || named.contains(api.name))
        }
        let grants: [GrantType] =
            switch client.type {
            case .public: GrantType.ofPublicClients
            case .confidential: GrantType.allCases
            }
        self.init(client, apis: apis.map(\.name).sorted(), grants: grants, secretHash: row.secretHash)
    }
}
