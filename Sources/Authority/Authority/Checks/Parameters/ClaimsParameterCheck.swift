import OAuth

/// `claims` is a JSON object (OpenID Connect Core §5.5).
struct ClaimsParameterCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard let text = draft.form["claims"] else { return }
        guard let claims = try? StrictJSON.parse(Array(text.utf8)), claims.object != nil else {
            throw .invalidRequest("claims is not a JSON object")
        }
        draft.tokens.claims = claims
    }
}
