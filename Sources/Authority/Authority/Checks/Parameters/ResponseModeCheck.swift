import OAuth

/// The `response_mode`, if there is one, is one of three (OAuth 2.0 Multiple Response Type Encoding Practices §2.1, OAuth
/// 2.0 Form Post Response Mode §2).
struct ResponseModeCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard let mode = draft.form["response_mode"], ResponseMode(rawValue: mode) == nil else { return }
        throw .b2c(.invalidRequest, 90014, "response_mode is none of query, fragment and form_post")
    }
}
