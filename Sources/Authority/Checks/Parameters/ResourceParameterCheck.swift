import OAuth

/// A token is for one resource (RFC 8707 §2).
struct ResourceParameterCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        let resources = draft.form.all("resource")
        guard resources.count <= 1 else {
            throw .b2c(.invalidTarget, 90146, "a token is for one resource")
        }
        draft.tokens.resource = resources.first
    }
}
