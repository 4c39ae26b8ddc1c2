import AuthorityStore
import FlowModel
import OAuth
import Policies

extension RefreshTokenGrant: WireGrant {
    static var grantType: GrantType { .refreshToken }

    /// Redeems a refresh token for the scopes in `scope`, or for all granted scopes without it (RFC 6749 §6).
    static func answer(_ arrived: ProgramCall) async throws -> TokenResponse {
        let text = Secret(try arrived.request.required("refresh_token"))
        // A refresh token that was issued over the Unix socket is rejected here, over HTTP, but remains valid.
        guard let genuine = try await genuine(text, arrived.authority.store), !genuine.family.owner.mayRepeat else {
            throw OAuthError.invalidGrant(90080, "the refresh token is not valid")
        }
        let holder = try GrantChecks.client(genuine.family.client, of: "refresh token", arrived)
        let call = try GrantChecks.policy(genuine.family.policy, of: "refresh token", holder)
        let row = try GrantChecks.live(genuine.family)
        let found = Found(token: genuine.token, family: row)
        let spelled = try call.request.scopes()
        let resource = try call.resource()
        // If the request has no resource and no scopes except OpenID Connect scopes, all granted scopes are renewed.
        var part = RenewedPart.everything
        if resource != nil || !spelled.allSatisfy(RequestChecks.impliedScopes.contains) {
            let scopes = spelled.isEmpty ? row.spelledScopes : spelled
            part = .only(try call.resolve(scopes: scopes, resource: resource))
        }
        let grant = RefreshTokenGrant(found: found, client: call.client.id, part: part)
        let issued: IssuedTokens
        do {
            issued = try await call.authority.tokens.issue(grant, call.request.caller(row.owner))
        } catch is UncoveredRequest {
            throw OAuthError.b2c(.invalidScope, 90205, "the refresh token was not granted these scopes")
        } catch let refusal as Refusal where refusal.reason == .interactionRequired {
            throw OAuthError.b2c(.invalidGrant, 90080, "the refresh token is not valid", detail: refusal.detail)
        }
        return TokenResponse(issued, granted: Self.granted(row, spelled, issued), call)
    }

    /// Returns the granted scopes as the client spelled them (RFC 6749 §5.1), without those whose checks expired.
    private static func granted(_ row: FamilyRow, _ spelled: [String], _ issued: IssuedTokens) -> [String] {
        let implied = RequestChecks.impliedScopes
        let asked = spelled.filter { !implied.contains($0) }
        let named = asked.isEmpty ? row.spelledScopes : asked + row.spelledScopes.filter(implied.contains)
        return named.filter { name in
            let short = name.split(separator: "/").last.map(String.init) ?? name
            return implied.contains(name) || issued.scopes.contains(name) || issued.scopes.contains(short)
        }
    }
}
