import OAuth

/// `id_token_hint` is there if the policy asks for it (`requireIdTokenHintAtLogout`).
struct RequiredHintCheck: LogoutCheck {
    func apply(to draft: inout LogoutDraft) throws(OAuthError) {
        guard draft.hint != nil || !draft.requiresHint else {
            throw .b2c(.invalidRequest, 90272, "the parameter id_token_hint is missing")
        }
    }
}
