import AuthorityStore
import FlowModel
public import OAuth
import Policies
import StoreRefusals

extension TokenProtocol {
    /// Returns the user's claims that the policy defines and the granted scopes cover (OpenID Connect Core §5.3, §5.4).
    ///
    /// `policy` is the policy's case-insensitive name.
    ///
    /// - Throws: `invalid_token` if the token is invalid, or `insufficient_scope` without the `openid` scope.
    public func userinfo(_ token: Secret, policy: String) async throws -> JSONValue {
        try await Authority.rows.storing {
            let policy = try PolicyCheck.policy(policy, in: authority.catalogue())
            let token = try await LiveToken.find(token, of: policy.id, authority)
            let family = try UserinfoChecks.person(token)
            let scopes = try UserinfoChecks.openID(family)
            let user = family.user
            var members: [String: JSONValue] = ["sub": .string(user.id.oid), "oid": .string(user.id.oid)]
            let claims = UserClaims.claims(of: user, policy: policy, authentication: family.authentication)
            for rule in claims + UserClaims.profile(of: user, scopes: scopes, beside: claims) {
                let scope: Scope = Self.addresses.contains(rule.0) ? .email : .profile
                if scopes.contains(scope.name) { members[rule.0] = rule.1 }
            }
            return .object(members)
        }
    }

    private static let addresses: Set<String> = ["email", "emails"]
}

/// The checks on an access token at the userinfo endpoint, in order.
///
/// The first paragraph of each check's comment is copied to `docs/authority.md`.
enum UserinfoChecks {
    /// The access token must be valid and must have been issued for a user (RFC 6750 §3.1 `invalid_token`).
    static func person(_ token: LiveToken?) throws(OAuthError) -> AuthorityStore.Families.Standing {
        guard let family = token?.family else {
            throw .invalidToken(detail: "the token is not valid, or is a client's own")
        }
        return family
    }

    /// The `openid` scope must have been granted (OpenID Connect Core §5.3, RFC 6750 §3.1 `insufficient_scope`).
    static func openID(_ family: AuthorityStore.Families.Standing) throws(OAuthError) -> Set<String> {
        guard family.spelledScopes.contains(Scope.openid.name) else {
            throw .insufficientScope("the token was granted without openid")
        }
        return Set(family.spelledScopes)
    }
}
