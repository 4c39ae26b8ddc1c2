import OAuth

/// `client_id`, if there is one, is the client that the hint was issued to (OpenID Connect RP-Initiated Logout §2).
struct HintClientCheck: LogoutCheck {
    func apply(to draft: inout LogoutDraft) throws(OAuthError) {
        guard let named = draft.form["client_id"] else { return }
        if let hint = draft.hint, named != hint.client {
            throw .b2c(.invalidRequest, 90232, "id_token_hint was issued to another client")
        }
        draft.client = draft.context.clients[named]
    }
}
