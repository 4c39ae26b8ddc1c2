import FlowModel
import Metrics
import Moments
import OAuth
import Policies
import Tokens

/// The client credentials grant (RFC 6749 §4.4).
///
/// Its token is not stored and is valid until it expires, its `jti` is revoked or its client is deleted.
enum ClientCredentialsGrant: WireGrant {
    static var grantType: GrantType { .clientCredentials }

    static func answer(_ call: ProgramCall) async throws -> TokenResponse {
        let (scopes, resource) = try asked(call)
        let request = try call.authority.memory.requests.request(of: call, scopes: scopes, resource: resource)
        guard request.checks.isEmpty else {
            throw OAuthError.b2c(.invalidScope, 90205, "these scopes require a check that only a user can pass")
        }
        guard let key = try await call.authority.memory.snapshot().ring.signer(call.client.accessTokenAlgorithm) else {
            throw OAuthError.serverError(detail: "no active signing key")
        }
        let now = call.now.seconds
        let expires = now + call.policy.tokens.accessToken.milliseconds / 1000
        let names = JSONValue.string(request.scopes.joined(separator: " "))
        let client = JSONValue.string(call.client.id)
        let token = try TokenMinter.mint(
            typ: .accessToken,
            claims: [
                ("iss", .string(call.issuer)), ("sub", client), ("aud", request.audienceClaim),
                ("client_id", client), ("azp", client), ("iat", .int(now)), ("nbf", .int(now)),
                ("exp", .int(expires)), ("jti", .string(TokenID.random(family: nil))), ("scope", names),
                ("scp", names), ("tfp", .string(call.policy.id.description)), ("ver", "1.0"),
            ],
            with: key
        )
        call.authority.clientTokens.increment()
        // Clients look up cached tokens by the requested scope, so the response also lists `/.default`.
        let asked = try call.request.scopes()
        let granted = scopes.isEmpty ? asked + request.grantedScopes : asked
        return TokenResponse(accessToken: token, expires: expires, scopes: granted, now: now)
    }

    /// Returns the requested scopes and resource.
    ///
    /// The scope `<api>/.default`, as in B2C, yields no scopes and the resource `<api>` if no resource was requested.
    private static func asked(_ call: ProgramCall) throws(OAuthError) -> ([String], String?) {
        let scopes = try call.request.scopes()
        let resource = try call.resource()
        guard scopes.count == 1, let scope = scopes.first, scope.hasSuffix(Self.all) else { return (scopes, resource) }
        return ([], resource ?? String(scope.dropLast(Self.all.count)))
    }

    private static let all = "/.default"
}
