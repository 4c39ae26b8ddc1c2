import Foundation
public import Moments
import OAuth
public import OutgoingHTTP
import Tokens

/// A client of providers outside: OpenID Connect Core 1.0 and OAuth 2.0 with a code and a proof key.
///
/// Everything that it fetches is bounded in size and time, comes from `https` (or from this machine), and is never
/// followed elsewhere. A call ends within ``deadline``, whatever the provider does.
///
/// An actor because it owns memory that callers share: metadata, keys and circuits of at most ``mostKept`` providers.
public actor OpenIDClient {
    /// The time within which a call ends, all its requests together.
    public static let deadline: Duration = .seconds(10)
    /// The time for which metadata are believed.
    static let metadataLife: Duration = .seconds(3600)
    /// The time for which keys are believed.
    static let keysLife: Duration = .seconds(600)
    /// The time between two looks for a key that is not there.
    static let keysPause: Duration = .seconds(5)

    /// The most providers of which something is remembered: people add their own.
    static let mostKept = 512

    private struct Kept<Value: Sendable>: Sendable {
        let value: Value
        let fresh: Deadline
        let pause: Deadline
    }

    /// The connections; nil before the first call.
    private var connections: OutsideHTTP?
    let clock: MomentClock
    let limit: Duration
    private let route: OutgoingRoute
    private let mostKept: Int
    private var metadata: [String: Kept<ProviderMetadata>] = [:]
    private var keys: [String: Kept<JWKSet>] = [:]
    var circuits: [String: Circuit] = [:]

    /// A client with connections of its own, which the first call opens.
    ///
    /// - Parameters:
    ///   - clock: The clock that tokens and what is remembered are judged by.
    ///   - route: The way to the providers.
    public init(clock: MomentClock, route: OutgoingRoute = .direct) {
        self.init(clock: clock, limit: Self.deadline, route: route)
    }

    init(
        clock: MomentClock,
        limit: Duration,
        route: OutgoingRoute = .direct,
        mostKept: Int = OpenIDClient.mostKept
    ) {
        self.mostKept = mostKept
        self.clock = clock
        self.limit = limit
        self.route = route
    }

    /// Closes the connections; the client may not be used afterwards.
    public func shutdown() async throws { try await connections?.shutdown() }

    var http: OutsideHTTP {
        if let connections { return connections }
        let made = OutsideHTTP(connectTimeout: min(limit, .seconds(5)), route: route, clock: clock)
        connections = made
        return made
    }

    /// Returns the address at which a person signs in with a provider (RFC 6749 §4.1.1, RFC 7636 §4.3).
    ///
    /// - Parameters:
    ///   - registration: The provider.
    ///   - request: The secrets of the request.
    ///   - loginHint: The name that the person has typed already.
    ///   - asked: The tokens that the request is for; nil to learn only who the person is.
    /// - Returns: The address.
    /// - Throws: ``ProviderError``.
    public func address(
        at registration: ProviderRegistration,
        _ request: ProviderRequest,
        loginHint: String? = nil,
        for asked: OutsideDemand? = nil
    ) async throws(ProviderError) -> String {
        try request.fresh?.require(registration)
        let metadata = try await calling(registration) { () async throws(ProviderError) in
            try await self.metadata(of: registration)
        }
        let scopes = asked?.scopes(offeredBy: metadata) ?? registration.scopes
        var pairs: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", registration.clientID), ("redirect_uri", registration.redirectURI),
            ("scope", scopes.joined(separator: " ")), ("state", request.state),
            ("code_challenge", request.challenge), ("code_challenge_method", CodeChallenge.method),
        ]
        if let asked { pairs += asked.fields }
        switch registration.place {
        case .issuer, .policy: pairs.append(("nonce", request.nonce))
        case .endpoints: break
        }
        if let loginHint { pairs.append(("login_hint", loginHint)) }
        let fresh = request.fresh?.parameters(at: registration) ?? [:]
        let fixed = registration.parameters.filter { asked?.parameters[$0.key] == nil }
        pairs += fixed.merging(fresh) { $1 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let address = metadata.authorization
        return address + (address.contains("?") ? "&" : "?") + Form.encoded(pairs)
    }

    /// Returns the person whom a provider's answer proves: redeems the code and verifies what it gives.
    ///
    /// - Parameters:
    ///   - registration: The provider.
    ///   - request: The request, whose state the answer has brought back.
    ///   - answer: The answer.
    /// - Returns: The person.
    /// - Throws: ``ProviderError``; a code that was redeemed is spent then.
    public func identity(
        at registration: ProviderRegistration,
        _ request: ProviderRequest,
        _ answer: ProviderAnswer
    ) async throws(ProviderError) -> ProviderIdentity {
        let code = try answer.code(of: registration)
        return try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.metadata(of: registration)
            try answer.requireIssuer(metadata, registration)
            let tokens = try await self.redeem(code, registration, request, metadata)
            var claims: [String: JSONValue] = [:]
            var authTime: Int64?
            if let keys = metadata.keys {
                guard let text = tokens.idToken else {
                    throw ProviderError(.protocolViolation, "\(registration.name) answered without an ID token")
                }
                claims = try await self.verified(
                    text,
                    keys: keys,
                    registration,
                    metadata,
                    nonce: .of(request),
                    fresh: request.fresh,
                    accessToken: tokens.accessToken
                )
                authTime = IDTokenChecks.authTime(of: claims, at: self.clock.now)
            }
            if let userinfo = metadata.userinfo, let accessToken = tokens.accessToken {
                let said = try await self.userinfo(at: userinfo, accessToken, registration)
                if let subject = claims["sub"], said["sub"] != subject {
                    throw ProviderError(.protocolViolation, "the userinfo of \(registration.name) are another person's")
                }
                claims.merge(said) { token, _ in token }
            }
            var identity = try PersonClaims(claims: claims, of: registration).identity()
            identity.authTime = authTime
            identity.wasAskedAnew = request.fresh == nil ? nil : true
            return identity
        }
    }

    // MARK: - Calls

    static func within<Value: Sendable>(
        _ limit: Duration,
        _ name: String,
        _ work: @escaping @Sendable () async throws(ProviderError) -> Value
    ) async -> Result<Value, ProviderError> {
        let late = ProviderError(.unavailable, "\(name) took longer than \(limit)")
        return await withTaskGroup(of: Result<Value, ProviderError>.self) { tasks in
            tasks.addTask {
                do throws(ProviderError) { return .success(try await work()) } catch { return .failure(error) }
            }
            tasks.addTask {
                try? await Task.sleep(for: limit)
                return .failure(late)
            }
            defer { tasks.cancelAll() }
            return await tasks.next() ?? .failure(late)
        }
    }

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
        let answer = try await http.get(address, for: registration)
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
        let answer = try await http.get(url, for: registration)
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

    /// The greatest number of providers of which a thing of one kind is remembered.
    var remembered: Int { max(circuits.count, metadata.count, keys.count) }

    /// Forgets circuits, if a new one would be one too many; those of servers that fail must not keep others out.
    func makeRoom(for issuer: String) throws(ProviderError) {
        guard circuits[issuer] == nil, circuits.count >= mostKept else { return }
        let now = clock.now
        circuits = circuits.filter { !$0.value.isIdle(at: now) }
        if circuits.count >= mostKept { circuits = circuits.filter(\.value.isCalling) }
        guard circuits.count < mostKept else {
            throw ProviderError(.unavailable, "too many servers outside are being called")
        }
    }

    /// Forgets what ends first, if a new thing would be one too many.
    private func makeRoom<Value: Sendable>(in kept: inout [String: Kept<Value>], for name: String) {
        guard kept[name] == nil, kept.count >= mostKept else { return }
        if let oldest = kept.min(by: { $0.value.fresh.boot < $1.value.fresh.boot }) { kept[oldest.key] = nil }
    }

    static func unknownKey(_ registration: ProviderRegistration) -> ProviderError {
        ProviderError(.protocolViolation, "the ID token of \(registration.name) was signed by an unknown key")
    }

    /// Redeems a code at the token endpoint.
    func redeem(
        _ code: Secret,
        _ registration: ProviderRegistration,
        _ request: ProviderRequest,
        _ metadata: ProviderMetadata,
        for resource: ResourceIndicator? = nil
    ) async throws(ProviderError) -> TokenEndpointAnswer {
        let answer = try await post(
            [
                ("grant_type", "authorization_code"), ("code", code.reveal()),
                ("redirect_uri", registration.redirectURI), ("code_verifier", request.verifier.reveal()),
            ] + (resource?.fields ?? []),
            to: metadata.token,
            registration,
            metadata
        )
        guard answer.status == 200 else {
            throw TokenEndpointAnswer.error(of: answer, "\(registration.name) does not redeem the code")
        }
        return try TokenEndpointAnswer(answer, of: registration)
    }

    /// Posts a form with our proof of who we are.
    func post(
        _ form: [(name: String, value: String)],
        to url: String,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> OutsideHTTP.Answer {
        let proof = try ClientProofAtProvider(registration, metadata, at: clock.now)
        return try await http.post(
            url,
            form + proof.form,
            authorization: proof.authorization,
            for: registration
        )
    }

    /// Verifies the ID token of an answer.
    func verified(
        _ text: Secret,
        keys: String,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata,
        nonce: IDTokenChecks.Nonce,
        fresh: FreshProof? = nil,
        accessToken: Secret?
    ) async throws(ProviderError) -> [String: JSONValue] {
        let token: UnverifiedJWT
        do { token = try UnverifiedJWT(text.reveal()) } catch {
            throw ProviderError(.protocolViolation, "the ID token of \(registration.name): \(error)")
        }
        let key = try await key(token.kid, at: keys, registration)
        return try IDTokenChecks.verify(
            token,
            key: key,
            registration,
            issuer: metadata.issuer,
            nonce: nonce,
            fresh: fresh,
            beside: .answered(accessToken),
            now: clock.now
        ).claims
    }

    func userinfo(
        at url: String,
        _ token: Secret,
        _ registration: ProviderRegistration
    ) async throws(ProviderError) -> [String: JSONValue] {
        guard token.revealBytes().allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ProviderError(.protocolViolation, "the access token of \(registration.name) is none")
        }
        let answer = try await http.get(url, bearer: token, for: registration)
        guard answer.status == 200, let claims = answer.json?.object else {
            throw ProviderError(.protocolViolation, "the userinfo of \(registration.name) cannot be read")
        }
        return claims
    }
}
