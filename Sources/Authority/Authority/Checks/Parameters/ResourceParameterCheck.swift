import OAuth

/// A token is for one resource, one of `apis.NAME.resources` (RFC 8707 §2).
struct ResourceParameterCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        draft.tokens.resource = try draft.context.settings.resource(draft.form)
    }
}
