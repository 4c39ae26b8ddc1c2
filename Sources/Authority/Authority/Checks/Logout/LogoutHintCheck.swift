import OAuth

/// `id_token_hint`, if there is one, is an ID token of this authority; it may have ended (OpenID Connect RP-Initiated
/// Logout §2).
struct LogoutHintCheck: LogoutCheck {
    func apply(to draft: inout LogoutDraft) throws(OAuthError) {
        guard let text = draft.form["id_token_hint"] else { return }
        guard let hint = IDTokenHint(text, draft.context) else {
            throw .b2c(.invalidRequest, 90232, "id_token_hint is not an ID token of this authority")
        }
        draft.hint = hint
        draft.client = draft.context.clients[hint.client]
    }
}
