import Foundation
public import Moments
import OAuth
public import OutgoingHTTP
import Tokens

/// A client for external providers that use OpenID Connect Core 1.0 or OAuth 2.0 authorization codes with PKCE.
///
/// It limits responses in size and time, requires `https` except for local servers, and follows no redirects.
public actor OpenIDClient {
    /// The maximum duration of a call, including all of its requests.
    public static let deadline: Duration = .seconds(10)

    /// The maximum number of providers for which the client keeps state.
    static let mostKept = 512

    let connections: OutsideConnections
    let documents: ProviderDocuments
    let clock: MomentClock
    let deadlines: any Clock<Duration>
    var circuits: Circuits

    /// Creates a client that opens its connections on the first call.
    public init(clock: MomentClock, route: OutgoingRoute = .direct) {
        self.init(clock: clock, deadlines: ContinuousClock(), route: route)
    }

    init(
        clock: MomentClock,
        deadlines: any Clock<Duration>,
        route: OutgoingRoute = .direct,
        mostKept: Int = OpenIDClient.mostKept
    ) {
        self.clock = clock
        self.deadlines = deadlines
        connections = OutsideConnections(connectTimeout: .seconds(5), route: route, clock: clock)
        documents = ProviderDocuments(over: connections, clock: clock, most: mostKept)
        circuits = Circuits(most: mostKept)
    }

    /// Permanently closes the connections.
    public func shutdown() async throws { try await connections.shutdown() }

    var http: OutsideHTTP { connections.http }

    var remembered: Int { get async { max(circuits.count, await documents.count) } }

    /// Returns the URL at which a user signs in with a provider (RFC 6749 §4.1.1, RFC 7636 §4.3).
    ///
    /// `asked` describes the tokens to request, or is `nil` to request only the user's identity.
    public func address(
        at registration: ProviderRegistration,
        _ request: ProviderRequest,
        loginHint: String? = nil,
        for asked: OutsideDemand? = nil
    ) async throws(ProviderError) -> String {
        try request.fresh?.require(registration)
        let metadata = try await calling(registration) { () async throws(ProviderError) in
            try await self.documents.metadata(of: registration)
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

    /// Redeems the code in a provider's authorization response, and returns the user's verified identity.
    ///
    /// - Throws: ``ProviderError``. If the code was already sent to the provider, it cannot be redeemed again.
    public func identity(
        at registration: ProviderRegistration,
        _ request: ProviderRequest,
        _ answer: ProviderAnswer
    ) async throws(ProviderError) -> ProviderIdentity {
        let code = try answer.code(of: registration)
        return try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.documents.metadata(of: registration)
            try answer.requireIssuer(metadata, registration)
            let tokens = try await self.redeem(code, registration, request, metadata)
            var claims: [String: JSONValue] = [:]
            var authTime: Int64?
            if let keys = metadata.keys {
                guard let text = tokens.idToken else {
                    throw ProviderError(.protocolViolation, "\(registration.name) returned no ID token")
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
                    throw ProviderError(
                        .protocolViolation,
                        "the userinfo of \(registration.name) is about another user"
                    )
                }
                claims.merge(said) { token, _ in token }
            }
            var identity = try PersonClaims(claims: claims, registration: registration).identity()
            identity.authTime = authTime
            identity.wasAskedAnew = request.fresh == nil ? nil : true
            return identity
        }
    }

    // MARK: - Calls

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
            throw TokenEndpointAnswer.error(of: answer, "\(registration.name) did not redeem the code")
        }
        return try TokenEndpointAnswer(answer, of: registration)
    }

    func post(
        _ form: [(name: String, value: String)],
        to url: String,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> OutsideHTTP.Answer {
        let proof = try ClientProofAtProvider(registration, metadata, at: clock.now)
        return try await http.post(url, form, proof, for: registration)
    }

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
        let key = try await documents.key(token.kid, at: keys, registration)
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
            throw ProviderError(.protocolViolation, "the access token of \(registration.name) is not valid")
        }
        let answer = try await http.get(url, bearer: token, for: registration)
        guard answer.status == 200, let claims = answer.json?.object else {
            throw ProviderError(.protocolViolation, "the userinfo of \(registration.name) cannot be read")
        }
        return claims
    }
}
