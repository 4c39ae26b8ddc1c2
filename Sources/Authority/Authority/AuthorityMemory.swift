import AuthorityStore
import FlowModel
import Moments
import OAuth
import Storage
import Synchronization
import Tokens

/// Keys and clients at the store's epoch ``epoch``.
struct AuthoritySnapshot: Sendable {
    let epoch: Int64
    let ring: KeyRing
    /// The key set that verifies every token, as JSON (RFC 7517 §5).
    let jwks: [UInt8]
    /// Configured and registered clients by id.
    let clients: [String: OAuthClient]
    /// The audiences that our access tokens may have: those of the APIs, and the clients themselves.
    let audiences: [String]
}

/// A copy of keys, clients and enabled users; every transaction that decides by it compares the epoch.
final class AuthorityMemory: Sendable {
    /// The greatest number of people remembered as enabled; beyond it, all are looked up anew.
    static let mostEnabled = 10_000
    /// The time for which a copy is used without comparing the epoch.
    static let longestBelief: Duration = .seconds(5)

    private let store: AuthorityStore
    private let settings: @Sendable () -> AuthoritySettings
    private let clock: MomentClock
    private let copy = Mutex<Copy?>(nil)
    /// The signatures of tokens that were shown before.
    let signatures = KnownSignatures()
    /// The requests that clients made for themselves before.
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
        /// People found to exist and be enabled at this epoch.
        var enabled: Set<UserID> = []
        /// All clients, as they follow from the settings.
        var clients: (settings: AuthoritySettings, known: KnownClients)?
    }

    init(store: AuthorityStore, settings: @escaping @Sendable () -> AuthoritySettings, clock: MomentClock) {
        self.store = store
        self.settings = settings
        self.clock = clock
    }

    /// Returns the copy, compared with the store if that was not done in the last five seconds.
    func snapshot() async throws -> AuthoritySnapshot {
        let now = clock.now
        if let copy = copy.withLock({ $0 }), Self.isBelieved(copy, at: now) { return snapshot(copy) }
        return try await compared()
    }

    /// Returns the copy, compared with the store now.
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

    /// True if a person exists and may sign in; looked up once an epoch, since every such change raises it.
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
            // Only findings from after the copy was made belong to its epoch.
            guard copy?.epoch == epoch else { return }
            if (copy?.enabled.count ?? 0) >= Self.mostEnabled { copy?.enabled = [] }
            copy?.enabled.insert(user)
        }
        return true
    }

    /// The last copy, of any age; nil before the first.
    var last: AuthoritySnapshot? { copy.withLock { $0 }.map(snapshot) }

    /// The key set as last seen; nil if it is time to compare the epoch.
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

    /// All clients, and who tokens may be for; put together anew only after a reload has changed the settings.
    private func clients(_ known: Copy) -> KnownClients {
        let settings = settings()
        // Settings that share their storage are compared at once.
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
    /// A client that an operator registered.
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
