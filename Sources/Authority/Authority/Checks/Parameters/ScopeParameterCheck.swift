import OAuth

/// `scope` is a list of scopes with single spaces between them (RFC 6749 §3.3).
struct ScopeParameterCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        let text = draft.form["scope"] ?? ""
        guard let scopes = try? Scope.list(text) else {
            throw .b2c(.invalidScope, 99005, "scope is not a list of scopes")
        }
        draft.tokens.scopes = scopes.map(\.name)
    }
}
