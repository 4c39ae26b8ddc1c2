import FlowModel
import OAuth

/// `id_token_hint`, if there is one, is an ID token of ours for this client; it may have ended (OpenID Connect Core
/// §3.1.2.1).
struct IDTokenHintCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard let text = draft.form["id_token_hint"] else { return }
        guard let hint = IDTokenHint(text, draft.context), hint.client == draft.client.id else {
            throw .b2c(.invalidRequest, 90232, "id_token_hint is not an ID token for this client")
        }
        draft.user = hint.user
    }
}
