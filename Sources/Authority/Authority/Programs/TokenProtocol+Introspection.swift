import AuthorityStore
import FlowModel
import Moments
public import OAuth
import Policies
import StoreRefusals
import Tokens

extension TokenProtocol {
    /// Handles a request to the introspection endpoint (RFC 7662 §2).
    ///
    /// A client can introspect the tokens that were issued to it. It can also introspect other clients' access tokens
    /// for an API that it may request itself, for example as that API's resource server.
    ///
    /// - Throws: `OAuthError`, or `Refusal` for a rule that also applies to requests over the Unix socket.
    public func introspect(_ request: ProgramRequest) async throws -> JSONValue {
        try await Authority.rows.storing {
            let opened = try await authority.open(request, at: .introspection)
            let call = try ProgramChecks.confidential(opened)
            let token = try ProgramChecks.token(call.request)
            if let live = try await LiveToken.find(token, of: call.policy.id, authority), Self.mayKnow(live, call) {
                return Self.members(live)
            }
            return try await Self.members(ofRefreshToken: token, call) ?? ["active": false]
        }
    }

    private static func mayKnow(_ live: LiveToken, _ call: ProgramCall) -> Bool {
        if live.client == call.client.id { return true }
        let apis = call.settings.apis
        let audiences = call.client.apis.compactMap { apis[$0]?.audience }
        return live.token.audiences.contains(where: audiences.contains)
    }

    private static func members(_ live: LiveToken) -> JSONValue {
        let shown = [
            "scope", "client_id", "exp", "iat", "nbf", "sub", "aud", "iss", "jti", "acr", "amr", "auth_time", "tfp",
            "oid",
        ]
        var members = live.token.claims.filter { shown.contains($0.key) }
        members["active"] = true
        members["token_type"] = "Bearer"
        members["username"] = live.family.map { .string($0.user.username) }
        return .object(members)
    }

    private static func members(ofRefreshToken token: Secret, _ call: ProgramCall) async throws -> JSONValue? {
        guard let found = try await RefreshTokenGrant.genuine(token, call.authority.store) else { return nil }
        let row = found.family
        guard !row.owner.mayRepeat, row.client == call.client.id, row.policy == call.policy.id.description,
            row.revokedAt == nil,
            Int64(clamping: found.token.counter) == row.counter,
            !row.expires.hasEnded(at: call.now), !row.windowEnds.hasEnded(at: call.now)
        else { return nil }
        return [
            "active": true, "client_id": .string(row.client), "sub": .string(row.user.oid),
            "iss": .string(call.issuer), "exp": .int(row.expires.wall / 1000), "iat": .int(row.createdAt / 1000),
            "scope": .string(row.spelledScopes.joined(separator: " ")),
        ]
    }
}
