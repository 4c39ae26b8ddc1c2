import OAuth

/// `max_age` is a number of seconds (OpenID Connect Core §3.1.2.1).
struct MaxAgeParameterCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard let text = draft.form["max_age"] else { return }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(text) else {
            throw .b2c(.invalidRequest, 90120, "max_age is not a number of seconds")
        }
        draft.tokens.maxAge = seconds
    }
}
