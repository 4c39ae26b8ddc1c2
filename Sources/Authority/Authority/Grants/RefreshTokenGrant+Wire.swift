import AuthorityStore
import FlowModel
import Moments
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
        try await revokeIfStolen(genuine, arrived)
        let holder = try GrantChecks.client(genuine.family.client, of: "refresh token", arrived)
        let call = try GrantChecks.policy(genuine.family.policy, of: "refresh token", holder)
        let row = try GrantChecks.live(genuine.family)
        let found = Found(token: genuine.token, family: row)
        let spelled = try call.request.scopes()
        let resource = try call.resource()
        let grant = RefreshTokenGrant(
            found: found,
            client: call.client.id,
            part: try part(spelled, resource: resource, of: row, call)
        )
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

    /// Revokes the family of a replaced token, unless its client may send the token again (RFC 9700 §4.14.2).
    ///
    /// The client may do so until it uses the successor or the grace period ends, and only at the endpoint of its
    /// policy. The check precedes those of the request's parameters, so that no rejected parameter prevents it.
    private static func revokeIfStolen(_ found: Found, _ call: ProgramCall) async throws {
        let row = found.family
        let counter = Int64(clamping: found.token.counter)
        guard counter < row.counter, row.revokedAt == nil else { return }
        let isOwn = row.client == call.client.id && row.policy == call.policy.id.description
        let isLate = counter < row.counter - 1 || row.graceEnds.hasEnded(at: call.now)
        guard isLate || !isOwn else { return }
        let event = AuditEvent(
            .familyRevoked,
            owner: row.owner,
            user: row.user,
            client: row.client,
            policy: row.policy,
            correlationID: call.request.correlationID,
            detail: ["reason": "reused", "by": call.client.id]
        )
        _ = try await call.authority.store.families.revoke([row.id], reason: "reused", events: [event])
        guard isOwn else { return }
        let detail = "the refresh token was replaced"
        throw OAuthError.b2c(.invalidGrant, 90080, "the refresh token is not valid", detail: detail)
    }

    /// Returns the part of the grant that the request renews.
    ///
    /// Without scopes, or with OpenID Connect scopes that include `offline_access`, this is everything. MSAL requests
    /// `openid profile offline_access` if its caller names no scope. Without `offline_access`, OpenID Connect scopes
    /// request only what identifies the user.
    private static func part(
        _ spelled: [String],
        resource: String?,
        of row: FamilyRow,
        _ call: ProgramCall
    ) throws -> RenewedPart {
        let isImplied = spelled.allSatisfy(RequestChecks.impliedScopes.contains)
        guard resource == nil, isImplied else {
            let scopes = spelled.isEmpty ? row.spelledScopes : spelled
            let request = try call.resolve(scopes: scopes, resource: resource)
            // A renewal adds no resource to the audience (RFC 8707 §2.2).
            guard request.resource == nil || request.resource == row.resource else {
                throw OAuthError.b2c(.invalidTarget, 90146, "the refresh token was not issued for this resource")
            }
            return .only(request)
        }
        if spelled.isEmpty || spelled.contains(Scope.offlineAccess.name) { return .everything }
        guard !spelled.contains(Scope.openid.name) || row.spelledScopes.contains(Scope.openid.name) else {
            throw OAuthError.b2c(.invalidScope, 90205, "the refresh token was not granted these scopes")
        }
        return .identity
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
