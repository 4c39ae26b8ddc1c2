import AuthorityStore
import FlowModel
import OAuth
import Policies

extension RefreshTokenGrant: WireGrant {
    static var grantType: GrantType { .refreshToken }

    /// The grant over HTTP: bound to client and policy, for what was granted or less of it (RFC 6749 §6).
    static func answer(_ call: ProgramCall) async throws -> TokenResponse {
        let text = Secret(try call.request.required("refresh_token"))
        let row = try await family(of: text, call)
        let spelled = try call.request.scopes()
        let resource = try call.request.resource()
        let caller = call.request.caller(row.owner)
        var request: ResolvedRequest?
        // OpenID Connect's scopes alone ask for everything that was granted.
        if resource != nil || !spelled.allSatisfy(ScopeCheck.implied.contains) {
            let scopes = spelled.isEmpty ? row.spelledScopes : spelled
            let asked = try call.resolve(scopes: scopes, resource: resource)
            let grant = RefreshTokenGrant(token: text, client: call.client.id, request: asked)
            let covers = try await grant.covers(asked, try await call.authority.tokens.context(caller))
            guard covers || row.revokedAt != nil else {
                throw OAuthError.invalidScope("the refresh token was not granted these scopes")
            }
            request = asked
        }
        let grant = RefreshTokenGrant(token: text, client: call.client.id, request: request)
        let issued: IssuedTokens
        do {
            issued = try await call.authority.tokens.issue(grant, caller)
        } catch let refusal as Refusal where refusal.reason == .interactionRequired {
            throw OAuthError.b2c(.invalidGrant, 90080, "the refresh token is not valid", detail: refusal.detail)
        }
        return TokenResponse(issued, granted: Self.granted(row, spelled), call)
    }

    /// Finds the family; one of the socket is refused here, and lives on.
    private static func family(of text: Secret, _ call: ProgramCall) async throws -> FamilyRow {
        guard let row = try await genuine(text, call.authority.store), !row.owner.mayRepeat else {
            throw OAuthError.invalidGrant(90080, "the refresh token is not valid")
        }
        guard row.client == call.client.id else {
            throw OAuthError.invalidGrant(90279, "the refresh token was given to another client")
        }
        guard row.policy == call.policy.id.description else {
            throw OAuthError.invalidGrant(90088, "the refresh token was given at the endpoint of another policy")
        }
        return row
    }

    /// The granted scopes as the client spells them now, those of OpenID Connect as they were granted.
    private static func granted(_ row: FamilyRow, _ spelled: [String]) -> [String] {
        let asked = spelled.filter { !ScopeCheck.implied.contains($0) }
        guard !asked.isEmpty else { return row.spelledScopes }
        return asked + row.spelledScopes.filter(ScopeCheck.implied.contains)
    }
}
