import FlowModel
import Metrics
import Moments
import OAuth
import Policies
import Tokens

/// The grant of a client for itself (RFC 6749 §4.4).
///
/// Its token is self-contained: nothing is written, and it ends by its time, by its `jti` or with its client.
enum ClientCredentialsGrant: WireGrant {
    static var grantType: GrantType { .clientCredentials }

    static func answer(_ call: ProgramCall) async throws -> TokenResponse {
        let (scopes, resource) = try asked(call)
        let request = try call.authority.memory.requests.request(of: call, scopes: scopes, resource: resource)
        guard request.checks.isEmpty else {
            throw OAuthError.b2c(.invalidScope, 90205, "these scopes need a person who proves more")
        }
        guard let key = try await call.authority.memory.snapshot().ring.signer(call.client.accessTokenAlgorithm) else {
            throw OAuthError.serverError(detail: "there is no key to sign with")
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
        // Clients look for a token in their cache by the scope that they asked for, so `/.default` is answered, too.
        let asked = try call.request.scopes()
        let granted = scopes.isEmpty ? asked + request.grantedScopes : asked
        return TokenResponse(accessToken: token, expires: expires, scopes: granted, now: now)
    }

    /// The scopes and the resource; `<api>/.default` is all that the client may ask that API for, as B2C's clients spell
    /// it.
    private static func asked(_ call: ProgramCall) throws(OAuthError) -> ([String], String?) {
        let scopes = try call.request.scopes()
        let resource = try call.resource()
        guard scopes.count == 1, let scope = scopes.first, scope.hasSuffix(Self.all) else { return (scopes, resource) }
        return ([], resource ?? String(scope.dropLast(Self.all.count)))
    }

    private static let all = "/.default"
}
