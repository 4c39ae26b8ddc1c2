import Moments
import OAuth
import Tokens

/// The documents that providers publish: their metadata (OpenID Connect Discovery §4) and their keys.
///
/// An actor because it owns memory that callers share: the metadata and the keys of a bounded number of providers.
actor ProviderDocuments {
    /// The time for which metadata are believed.
    static let metadataLife: Duration = .seconds(3600)
    /// The time for which keys are believed.
    static let keysLife: Duration = .seconds(600)
    /// The time between two looks for a key that is not there.
    static let keysPause: Duration = .seconds(5)

    private struct Kept<Value: Sendable>: Sendable {
        let value: Value
        let fresh: Deadline
        let pause: Deadline
    }

    private let connections: OutsideConnections
    private let clock: MomentClock
    private let most: Int
    private var metadata: [String: Kept<ProviderMetadata>] = [:]
    private var keys: [String: Kept<JWKSet>] = [:]

    /// Makes a memory without documents.
    ///
    /// - Parameters:
    ///   - connections: The connections by which documents are fetched.
    ///   - clock: The clock that what is remembered is judged by.
    ///   - most: The most providers of which documents of one kind are remembered.
    init(over connections: OutsideConnections, clock: MomentClock, most: Int) {
        self.connections = connections
        self.clock = clock
        self.most = most
    }

    /// The greatest number of providers of which a document of one kind is remembered.
    var count: Int { max(metadata.count, keys.count) }

    /// Returns what a provider says of itself, or what is configured in the place of that.
    func metadata(of registration: ProviderRegistration) async throws(ProviderError) -> ProviderMetadata {
        switch registration.place {
        case .endpoints(let authorization, let token, let userinfo):
            return ProviderMetadata(
                issuer: registration.issuer,
                authorization: authorization,
                token: token,
                userinfo: userinfo
            )
        case .issuer:
            let issuer = registration.issuer
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            return try await discovered(
                registration,
                at: base + "/.well-known/openid-configuration",
                hasPolicies: false
            )
        case .policy(_, let address): return try await discovered(registration, at: address, hasPolicies: true)
        }
    }

    /// Forgets what a provider said of itself, so that it is asked again.
    func forget(_ registration: ProviderRegistration) {
        let beginning = registration.memory("\(registration.issuer) ")
        metadata = metadata.filter { !$0.key.hasPrefix(beginning) }
    }

    private func discovered(
        _ registration: ProviderRegistration,
        at address: String,
        hasPolicies: Bool
    ) async throws(ProviderError) -> ProviderMetadata {
        // People name authorities of their own: what one address says is believed of one issuer only.
        let issuer = registration.issuer
        let name = registration.memory("\(issuer) \(address)")
        if let kept = metadata[name], !kept.fresh.hasPassed(at: clock.now) { return kept.value }
        let answer = try await connections.http.get(address, for: registration)
        guard answer.status == 200 else {
            throw ProviderError(.protocolViolation, "\(issuer) has no metadata: \(answer.status)")
        }
        let found = try ProviderMetadata(answer.json, of: issuer, hasPolicies: hasPolicies)
        makeRoom(in: &metadata, for: name)
        metadata[name] = Kept(
            value: found,
            fresh: Deadline(Self.metadataLife, after: clock.now),
            pause: Deadline(Self.keysPause, after: clock.now)
        )
        return found
    }

    /// Returns the key of a name; a name that is not known has the keys fetched again, as after their change.
    ///
    /// A token that names no key is by the only one that there is (OpenID Connect Core §10.1). It does not show that keys were
    /// changed, so they are fetched for it as often as for a name that is not known.
    func key(
        _ name: String?,
        at url: String,
        _ registration: ProviderRegistration
    ) async throws(ProviderError) -> VerificationKey {
        let now = clock.now
        let place = registration.memory(url)
        if let kept = keys[place], !kept.fresh.hasPassed(at: now) {
            let isPaused = !kept.pause.hasPassed(at: now)
            if name != nil || isPaused, let key = Self.key(name, of: kept.value) { return key }
            if isPaused { throw Self.unknownKey(registration) }
        }
        let answer = try await connections.http.get(url, for: registration)
        guard answer.status == 200, let json = answer.json, let set = try? JWKSet.parse(json.bytes) else {
            throw ProviderError(.protocolViolation, "the keys of \(registration.name) cannot be read")
        }
        makeRoom(in: &keys, for: place)
        keys[place] = Kept(
            value: set,
            fresh: Deadline(Self.keysLife, after: now),
            pause: Deadline(Self.keysPause, after: now)
        )
        guard let key = Self.key(name, of: set) else { throw Self.unknownKey(registration) }
        return key
    }

    private static func key(_ name: String?, of set: JWKSet) -> VerificationKey? {
        if let name { return set.key(kid: name) }
        return set.keys.count == 1 ? set.keys.first : nil
    }

    /// Forgets what ends first, if a new thing would be one too many.
    private func makeRoom<Value: Sendable>(in kept: inout [String: Kept<Value>], for name: String) {
        guard kept[name] == nil, kept.count >= most else { return }
        if let oldest = kept.min(by: { $0.value.fresh.boot < $1.value.fresh.boot }) { kept[oldest.key] = nil }
    }

    /// The error of a token that none of a provider's keys has signed.
    static func unknownKey(_ registration: ProviderRegistration) -> ProviderError {
        ProviderError(.protocolViolation, "the ID token of \(registration.name) was signed by an unknown key")
    }
}
