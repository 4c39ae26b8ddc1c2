public import OAuth
import Policies
import StoreRefusals
import Tokens

/// The published documents of an authority's issuers (RFC 8414, RFC 7517).
public struct PublishedIssuers: Sendable {
    let authority: Authority

    /// Returns the public keys of all issuers as a JWK set (RFC 7517 §5).
    public func jwks() async throws -> [UInt8] {
        try await Authority.rows.storing { try await authority.memory.snapshot().jwks }
    }

    /// Returns the cached public keys of all issuers, or `nil` if the cache must first be compared with the store.
    public func readyJWKS() -> [UInt8]? { authority.memory.believedJWKS }

    /// Returns a policy's cached metadata in JSON, or `nil` if no issuer has this name (not case-sensitive).
    public func metadataDocument(policy: String) -> [UInt8]? {
        guard let id = try? PolicyID(policy) else { return nil }
        return authority.documents.document(of: id, authority.settings(), authority.catalogue()) {
            metadata(policy: policy)?.json.bytes
        }
    }

    /// Returns a policy's metadata (RFC 8414 §2), or `nil` if no issuer has this name (not case-sensitive).
    public func metadata(policy: String) -> ServerMetadata? {
        let settings = authority.settings()
        let catalogue = authority.catalogue()
        guard let id = try? PolicyID(policy), let policy = catalogue[id], !policy.kind.stepsUp else { return nil }
        let checks = catalogue.ordered(policy.baseChecks + policy.secondFactor.checks + policy.scopeChecks)
        var metadata = ServerMetadata(issuer: settings.issuer(of: id))
        for endpoint in AuthorityEndpoint.allCases {
            metadata[keyPath: endpoint.member] = settings.root(of: id) + endpoint.path
        }
        metadata.responseTypes = ["code"]
        metadata.responseModes = ResponseMode.allCases.map(\.rawValue)
        metadata.codeChallengeMethods = [CodeChallenge.method]
        metadata.answersWithIssuer = true
        metadata.additional["claims_parameter_supported"] = true
        metadata.additional["request_parameter_supported"] = false
        metadata.additional["request_uri_parameter_supported"] = false
        metadata.additional["prompt_values_supported"] = .array(
            RequestedPrompt.allCases.filter { $0 != .create || policy.kind.signsUp }.map { .string($0.rawValue) }
        )
        metadata.grantTypes = TokenEndpoint.wireGrants.filter { $0.isOffered(by: policy, catalogue) }
            .map { $0.grantType.wireName }
        metadata.tokenEndpointAuthMethods = ClientAuthenticationMethod.allCases.map(\.rawValue)
        metadata.revocationEndpointAuthMethods = metadata.tokenEndpointAuthMethods
        metadata.introspectionEndpointAuthMethods = ClientAuthenticationMethod.allCases.filter { $0 != .none }
            .map(\.rawValue)
        metadata.additional["token_endpoint_auth_signing_alg_values_supported"] = .array(
            SigningAlgorithm.allCases.map { .string($0.rawValue) }
        )
        // With an http base URL, every session ends with its flow, so clients never have to be notified of a sign-out.
        let keepsSessions = settings.base.hasPrefix("https:")
        metadata.additional["backchannel_logout_supported"] = .bool(keepsSessions)
        metadata.additional["backchannel_logout_session_supported"] = .bool(keepsSessions)
        metadata.subjectTypes = ["public"]
        metadata.scopes = Self.ownScopes.map(\.name) + scopes(of: policy, settings)
        metadata.claims = Self.ownClaims + policy.claims.map(\.wireName).filter { !Self.ownClaims.contains($0) }
        metadata.acrValues = Set(checks.map(\.acr)).sorted()
        // All algorithms are listed, because registering a client creates a missing key. RS256 must be listed (OpenID
        // Connect Discovery §3).
        metadata.idTokenSigningAlgorithms = SigningAlgorithm.allCases.map(\.rawValue)
        return metadata
    }

    /// The scopes that belong to no API (OpenID Connect Core §5.4, §11).
    private static let ownScopes: [Scope] = [.openid, .profile, .email, .offlineAccess]

    private static let ownClaims = [
        "iss", "sub", "oid", "aud", "azp", "iat", "nbf", "exp", "jti", "tfp", "acr", "amr", "auth_time", "ver", "sid",
        UserClaims.preferredUsername,
    ]

    private func scopes(of policy: Policy, _ settings: AuthoritySettings) -> [String] {
        settings.apis.values.flatMap { api in
            api.scopes.keys.filter { policy.checks(forScope: $0, api: api.name) != nil }.map { "\(api.name)/\($0)" }
        }.sorted()
    }

    /// Returns the signing algorithms that need a key: ES256, and every other algorithm that a client uses.
    static func algorithms(_ clients: some Collection<OAuthClient>) -> [SigningAlgorithm] {
        let asked = Set(clients.flatMap { [$0.accessTokenAlgorithm, $0.idTokenAlgorithm] })
        return SigningAlgorithm.allCases.filter { $0 == .es256 || asked.contains($0) }
    }
}
