import Foundation
public import Moments
import OAuth
import Tokens

/// A client of providers outside: OpenID Connect Core 1.0 and OAuth 2.0 with a code and a proof key.
///
/// Everything that it fetches is bounded in size and time, comes from `https` (or from this machine), and is never
/// followed elsewhere. A call ends within ``deadline``, whatever the provider does.
///
/// An actor because it owns memory that callers share: metadata, keys and circuits of the providers of one
/// configuration, so their number is bounded by it.
public actor OpenIDClient {
    /// The time within which a call ends, all its requests together.
    public static let deadline: Duration = .seconds(10)
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

    /// The connections; nil before the first call.
    private var connections: OutsideHTTP?
    private let clock: MomentClock
    private let limit: Duration
    private var metadata: [String: Kept<ProviderMetadata>] = [:]
    private var keys: [String: Kept<JWKSet>] = [:]
    private var circuits: [String: Circuit] = [:]

    /// A client with connections of its own, which the first call opens.
    ///
    /// - Parameter clock: The clock that tokens and what is remembered are judged by.
    public init(clock: MomentClock) {
        self.init(clock: clock, limit: Self.deadline)
    }

    init(clock: MomentClock, limit: Duration) {
        self.clock = clock
        self.limit = limit
    }

    /// Closes the connections; the client may not be used afterwards.
    public func shutdown() async throws { try await connections?.shutdown() }

    private var http: OutsideHTTP {
        if let connections { return connections }
        let made = OutsideHTTP(connectTimeout: min(limit, .seconds(5)))
        connections = made
        return made
    }

    /// Returns the address at which a person signs in with a provider (RFC 6749 §4.1.1, RFC 7636 §4.3).
    ///
    /// - Parameters:
    ///   - registration: The provider.
    ///   - request: The secrets of the request.
    ///   - loginHint: The name that the person has typed already.
    /// - Returns: The address.
    /// - Throws: ``ProviderError``.
    public func address(
        at registration: ProviderRegistration,
        _ request: ProviderRequest,
        loginHint: String? = nil
    ) async throws(ProviderError) -> String {
        let metadata = try await calling(registration) { () async throws(ProviderError) in
            try await self.metadata(of: registration)
        }
        var pairs: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", registration.clientID), ("redirect_uri", registration.redirectURI),
            ("scope", registration.scopes.joined(separator: " ")), ("state", request.state),
            ("code_challenge", request.challenge), ("code_challenge_method", CodeChallenge.method),
        ]
        switch registration.place {
        case .issuer: pairs.append(("nonce", request.nonce))
        case .endpoints: break
        }
        if let loginHint { pairs.append(("login_hint", loginHint)) }
        pairs += registration.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
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
        if let issuer = answer.issuer, issuer != registration.issuer {
            throw ProviderError(.protocolViolation, "the answer of \(registration.name) is another issuer's")
        }
        if answer.error != nil { throw ProviderError(.denied, "\(registration.name) answered with an error") }
        guard let code = answer.code, (1...4096).contains(code.count) else {
            throw ProviderError(.protocolViolation, "the answer of \(registration.name) has no code")
        }
        return try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.metadata(of: registration)
            if metadata.answersWithIssuer, answer.issuer == nil {
                throw ProviderError(.protocolViolation, "the answer of \(registration.name) names no issuer")
            }
            let tokens = try await self.redeem(code, registration, request, metadata)
            var claims: [String: JSONValue] = [:]
            if let keys = metadata.keys {
                guard let text = tokens.idToken else {
                    throw ProviderError(.protocolViolation, "\(registration.name) answered without an ID token")
                }
                let token: UnverifiedJWT
                do { token = try UnverifiedJWT(text.reveal()) } catch {
                    throw ProviderError(.protocolViolation, "the ID token of \(registration.name): \(error)")
                }
                let key = try await self.key(token.kid, at: keys, registration)
                claims = try IDTokenChecks.verify(
                    token,
                    key: key,
                    registration,
                    request,
                    accessToken: tokens.accessToken,
                    now: self.clock.now
                ).claims
            }
            if let userinfo = metadata.userinfo, let accessToken = tokens.accessToken {
                let said = try await self.userinfo(at: userinfo, accessToken, registration)
                if let subject = claims["sub"], said["sub"] != subject {
                    throw ProviderError(.protocolViolation, "the userinfo of \(registration.name) are another person's")
                }
                claims.merge(said) { token, _ in token }
            }
            return try PersonClaims(claims: claims, of: registration).identity()
        }
    }

    // MARK: - Calls

    /// Runs a call within its time and under the provider's circuit.
    private func calling<Value: Sendable>(
        _ registration: ProviderRegistration,
        _ work: @escaping @Sendable () async throws(ProviderError) -> Value
    ) async throws(ProviderError) -> Value {
        try circuits[registration.issuer, default: Circuit()].begin(registration.name, at: clock.now)
        let outcome = await Self.within(limit, registration.name, work)
        var isAvailable = true
        if case .failure(let error) = outcome, error.code == .unavailable { isAvailable = false }
        circuits[registration.issuer, default: Circuit()].end(isAvailable: isAvailable, at: clock.now)
        return try outcome.get()
    }

    private static func within<Value: Sendable>(
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

    private func metadata(of registration: ProviderRegistration) async throws(ProviderError) -> ProviderMetadata {
        switch registration.place {
        case .endpoints(let authorization, let token, let userinfo):
            return ProviderMetadata(authorization: authorization, token: token, userinfo: userinfo)
        case .issuer: break
        }
        let issuer = registration.issuer
        if let kept = metadata[issuer], !kept.fresh.hasPassed(at: clock.now) { return kept.value }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let answer = try await http.get(base + "/.well-known/openid-configuration")
        guard answer.status == 200 else {
            throw ProviderError(.protocolViolation, "\(issuer) has no metadata: \(answer.status)")
        }
        let found = try ProviderMetadata(answer.json, of: issuer)
        metadata[issuer] = Kept(
            value: found,
            fresh: Deadline(Self.metadataLife, after: clock.now),
            pause: Deadline(Self.keysPause, after: clock.now)
        )
        return found
    }

    /// Returns the key of a name; a name that is not known has the keys fetched again, as after their change.
    private func key(
        _ name: String?,
        at url: String,
        _ registration: ProviderRegistration
    ) async throws(ProviderError) -> VerificationKey {
        guard let name else { throw ProviderError(.protocolViolation, "the ID token names no key") }
        let now = clock.now
        if let kept = keys[url], !kept.fresh.hasPassed(at: now) {
            if let key = kept.value.key(kid: name) { return key }
            guard kept.pause.hasPassed(at: now) else { throw Self.unknownKey(registration) }
        }
        let answer = try await http.get(url)
        guard answer.status == 200, let json = answer.json, let set = try? JWKSet.parse(json.bytes) else {
            throw ProviderError(.protocolViolation, "the keys of \(registration.name) cannot be read")
        }
        keys[url] = Kept(
            value: set,
            fresh: Deadline(Self.keysLife, after: now),
            pause: Deadline(Self.keysPause, after: now)
        )
        guard let key = set.key(kid: name) else { throw Self.unknownKey(registration) }
        return key
    }

    private static func unknownKey(_ registration: ProviderRegistration) -> ProviderError {
        ProviderError(.protocolViolation, "the ID token of \(registration.name) was signed by an unknown key")
    }

    /// The tokens of a token endpoint's answer.
    private struct Redeemed: Sendable {
        let accessToken: Secret?
        let idToken: Secret?
    }

    private func redeem(
        _ code: Secret,
        _ registration: ProviderRegistration,
        _ request: ProviderRequest,
        _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> Redeemed {
        let proof = ClientProofAtProvider(registration, offered: metadata.authentication)
        let form: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("code", code.reveal()), ("redirect_uri", registration.redirectURI),
            ("code_verifier", request.verifier.reveal()),
        ]
        let answer = try await http.post(metadata.token, form + proof.form, authorization: proof.authorization)
        guard answer.status == 200, let json = answer.json, json.object != nil else {
            // Only a word of the specification is repeated, nothing else of the answer.
            let words = ["invalid_grant", "invalid_client", "invalid_request", "unauthorized_client", "invalid_scope"]
            let word = words.first { answer.json?["error"]?.string == $0 } ?? "status \(answer.status)"
            throw ProviderError(.protocolViolation, "\(registration.name) does not redeem the code: \(word)")
        }
        guard json["token_type"]?.string.map({ $0.lowercased() == "bearer" }) ?? true else {
            throw ProviderError(.protocolViolation, "\(registration.name) answered with another kind of token")
        }
        return Redeemed(
            accessToken: json["access_token"]?.string.map { Secret($0) },
            idToken: json["id_token"]?.string.map { Secret($0) }
        )
    }

    private func userinfo(
        at url: String,
        _ token: Secret,
        _ registration: ProviderRegistration
    ) async throws(ProviderError) -> [String: JSONValue] {
        guard token.revealBytes().allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ProviderError(.protocolViolation, "the access token of \(registration.name) is none")
        }
        let answer = try await http.get(url, bearer: token)
        guard answer.status == 200, let claims = answer.json?.object else {
            throw ProviderError(.protocolViolation, "the userinfo of \(registration.name) cannot be read")
        }
        return claims
    }
}
