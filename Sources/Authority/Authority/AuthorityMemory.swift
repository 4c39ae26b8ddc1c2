import AuthorityStore
import FlowModel
import Moments
import OAuth
import Storage
import Synchronization
import Tokens

struct AuthoritySnapshot: Sendable {
    let epoch: Int64
    let ring: KeyRing
    /// The public keys that verify tokens, as a JWK set in JSON (RFC 7517 §5).
    let jwks: [UInt8]
    let clients: [String: OAuthClient]
    /// The audiences that an access token from this authority can have: the APIs' audiences and the client ids.
    let audiences: [String]
}

/// A cache of keys, clients and enabled users, valid only for transactions that find the store's epoch unchanged.
final class AuthorityMemory: Sendable {
    static let mostEnabled = 10_000
    /// How long the cache is used before its epoch must be compared with the store's epoch.
    static let longestBelief: Duration = .seconds(5)

    private let store: AuthorityStore
    private let settings: @Sendable () -> AuthoritySettings
    private let clock: MomentClock
    private let copy = Mutex<Copy?>(nil)
    let signatures = KnownSignatures()
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
        var enabled: Set<UserID> = []
        var clients: (settings: AuthoritySettings, known: KnownClients)?
    }

    init(store: AuthorityStore, settings: @escaping @Sendable () -> AuthoritySettings, clock: MomentClock) {
        self.store = store
        self.settings = settings
        self.clock = clock
    }

    /// Returns the cached values, first comparing them with the store if that last happened over five seconds ago.
    func snapshot() async throws -> AuthoritySnapshot {
        let now = clock.now
        if let copy = copy.withLock({ $0 }), Self.isBelieved(copy, at: now) { return snapshot(copy) }
        return try await compared()
    }

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

    /// Whether a user may sign in, cached until the epoch changes, as it does when a user is disabled or deleted.
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
            guard copy?.epoch == epoch else { return }
            if (copy?.enabled.count ?? 0) >= Self.mostEnabled { copy?.enabled = [] }
            copy?.enabled.insert(user)
        }
        return true
    }

    /// The cached values, regardless of their age, or `nil` if nothing has been cached yet.
    var last: AuthoritySnapshot? { copy.withLock { $0 }.map(snapshot) }

    /// The cached key set, or `nil` if the cache must first be compared with the store.
    var believedJWKS: [UInt8]? {
        let now = clock.now
        return copy.withLock { $0.flatMap { Self.isBelieved($0, at: now) ? $0.jwks : nil } }
    }

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

    private func clients(_ known: Copy) -> KnownClients {
        let settings = settings()
        // Comparing the settings is fast, because the old and new values share their storage unless they were reloaded.
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
    init(_ row: ClientRow, settings: AuthoritySettings) {
        let client = row.client
        let named = Set(client.scopes.compactMap { $0.split(separator: "/").first.map(String.init) })
        let apis = settings.apis.values.filter { api in
            (client.audience == nil || api.audience == client.audience) && (named.isEmpty || named.contains(api.name))
        }
        let grants: [GrantType] =
            switch client.type {
            case .public: GrantType.ofPublicClients
            case .browser: GrantType.ofBrowserClients
            case .confidential: GrantType.allCases
            }
        self.init(client, apis: apis.map(\.name).sorted(), grants: grants, secretHash: row.secretHash)
    }
}
