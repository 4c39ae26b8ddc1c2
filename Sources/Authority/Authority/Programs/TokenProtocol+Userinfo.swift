import AuthorityStore
import FlowModel
public import OAuth
import Policies
import StoreRefusals

extension TokenProtocol {
    /// Answers the userinfo endpoint (OpenID Connect Core §5.3).
    ///
    /// - Parameters:
    ///   - token: The access token.
    ///   - policy: The policy's name in any case.
    /// - Returns: The claims of the policy that the scopes ask for (OpenID Connect Core §5.4).
    /// - Throws: `invalid_token`, or `insufficient_scope` if `openid` was not granted.
    public func userinfo(_ token: Secret, policy: String) async throws -> JSONValue {
        try await Authority.rows.storing {
            let policy = try PolicyCheck.policy(
                policy,
                settings: authority.settings(),
                catalogue: authority.catalogue()
            )
            let token = try await LiveToken.find(token, of: policy.id, authority)
            for check in EndpointChecks.ofBearers { try check.apply(to: token) }
            guard let family = token?.family else {
                throw OAuthError.serverError(detail: "a check of access tokens was left out")
            }
            let user = family.user
            let scopes = Set(family.spelledScopes)
            var members: [String: JSONValue] = ["sub": .string(user.id.oid), "oid": .string(user.id.oid)]
            for rule in UserClaims.claims(of: user, policy: policy, authentication: family.authentication) {
                let scope: Scope = Self.addresses.contains(rule.0) ? .email : .profile
                if scopes.contains(scope.name) { members[rule.0] = rule.1 }
            }
            return .object(members)
        }
    }

    /// The claims that the scope `email` asks for.
    private static let addresses: Set<String> = ["email", "emails"]
}
