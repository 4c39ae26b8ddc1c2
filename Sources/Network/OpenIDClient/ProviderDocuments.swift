import Moments
import OAuth
import Tokens

/// A cache of the metadata (OpenID Connect Discovery §4) and the keys that providers publish.
actor ProviderDocuments {
    static let metadataLife: Duration = .seconds(3600)
    static let keysLife: Duration = .seconds(600)
    /// The minimum time between a fetch of the keys and another fetch because of an unknown key.
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

    init(over connections: OutsideConnections, clock: MomentClock, most: Int) {
        self.connections = connections
        self.clock = clock
        self.most = most
    }

    var count: Int { max(metadata.count, keys.count) }

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

    func forget(_ registration: ProviderRegistration) {
        let beginning = registration.memory("\(registration.issuer) ")
        metadata = metadata.filter { !$0.key.hasPrefix(beginning) }
    }

    private func discovered(
        _ registration: ProviderRegistration,
        at address: String,
        hasPolicies: Bool
    ) async throws(ProviderError) -> ProviderMetadata {
        // Users can add authorities. A document is therefore used only for the issuer that it was fetched for.
        let issuer = registration.issuer
        let name = registration.memory("\(issuer) \(address)")
        if let kept = metadata[name], !kept.fresh.hasPassed(at: clock.now) { return kept.value }
        let answer = try await connections.http.get(address, for: registration)
        guard answer.status == 200 else {
            throw ProviderError(.protocolViolation, "\(issuer) has no metadata: \(answer.status)")
        }
        var found = try ProviderMetadata(answer.json, of: issuer, hasPolicies: hasPolicies)
        found.sentAt = answer.date
        makeRoom(in: &metadata, for: name)
        metadata[name] = Kept(
            value: found,
            fresh: Deadline(Self.metadataLife, after: clock.now),
            pause: Deadline(Self.keysPause, after: clock.now)
        )
        return found
    }

    /// Returns the provider's key whose `kid` is `name`, and fetches the keys again if the key is not cached.
    ///
    /// If `name` is `nil`, the keys are always fetched again, and there must be only one (OpenID Connect Core §10.1).
    /// At least ``keysPause`` must have passed since the previous fetch.
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

    private func makeRoom<Value: Sendable>(in kept: inout [String: Kept<Value>], for name: String) {
        guard kept[name] == nil, kept.count >= most else { return }
        if let oldest = kept.min(by: { $0.value.fresh.boot < $1.value.fresh.boot }) { kept[oldest.key] = nil }
    }

    static func unknownKey(_ registration: ProviderRegistration) -> ProviderError {
        ProviderError(.protocolViolation, "the ID token of \(registration.name) was signed by an unknown key")
    }
}
