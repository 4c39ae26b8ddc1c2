import AuthorityStore
import OAuth

/// `openid` was granted (OpenID Connect Core §5.3, RFC 6750 §3.1 `insufficient_scope`).
struct OpenIDScopeCheck: BearerCheck {
    func apply(to token: LiveToken?) throws(OAuthError) {
        guard token?.family?.spelledScopes.contains(Scope.openid.name) == true else {
            throw .insufficientScope("the token was granted without openid")
        }
    }
}
