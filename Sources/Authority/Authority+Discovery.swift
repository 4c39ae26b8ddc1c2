public import OAuth
import Policies
import StoreRefusals
import Tokens

extension Authority {
    /// The public keys of every issuer, as a JWK set (RFC 7517 §5).
    public func jwks() async throws -> [UInt8] {
        try await Self.rows.storing { try await memory.snapshot().ring.jwks.bytes }
    }

    /// The metadata of a policy's issuer (RFC 8414 §2); nil if there is no such policy.
    ///
    /// - Parameter policy: The policy's name in any case.
    /// - Returns: The metadata.
    public func metadata(policy: String) -> ServerMetadata? {
        let settings = settings()
        let catalogue = catalogue()
        guard let id = try? PolicyID(policy), let policy = catalogue[id] else { return nil }
        let checks = catalogue.ordered(policy.baseChecks + policy.scopes.values.joined())
        var metadata = ServerMetadata(issuer: settings.issuer(of: id))
        metadata.jwksURI = settings.root(of: id) + "/discovery/v2.0/keys"
        // RFC 8414 §2: a grant is of no use without the endpoint that takes it.
        if metadata.tokenEndpoint != nil { metadata.grantTypes = TokenEndpoint.grants.compactMap { $0.wireName } }
        metadata.subjectTypes = ["public"]
        metadata.scopes = [Scope.openid.name, Scope.offlineAccess.name] + scopes(of: policy, settings)
        metadata.claims = Self.ownClaims + policy.claims.map(\.wireName).filter { !Self.ownClaims.contains($0) }
        metadata.acrValues = Set(checks.map(\.acr)).sorted()
        metadata.idTokenSigningAlgorithms = Self.algorithms(settings).map(\.rawValue)
        return metadata
    }

    /// The claims that every token has.
    private static let ownClaims = [
        "iss", "sub", "oid", "aud", "azp", "iat", "nbf", "exp", "jti", "tfp", "acr", "amr", "auth_time", "ver",
    ]

    private func scopes(of policy: Policy, _ settings: AuthoritySettings) -> [String] {
        settings.apis.values.flatMap { api in
            api.scopes.keys.filter { policy.checks(forScope: $0, api: api.name) != nil }.map { "\(api.name)/\($0)" }
        }.sorted()
    }

    /// The algorithms that keys are needed for.
    static func algorithms(_ settings: AuthoritySettings) -> [SigningAlgorithm] {
        let asked = settings.clients.values.flatMap { [$0.accessTokenAlgorithm, $0.idTokenAlgorithm] }
        return SigningAlgorithm.allCases.filter { $0 == .es256 || asked.contains($0) }
    }
}
