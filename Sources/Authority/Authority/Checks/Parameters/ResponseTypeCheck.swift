import OAuth

/// The one `response_type` is `code` (RFC 6749 §3.1.1, RFC 9700 §2.1.2).
struct ResponseTypeCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard let type = draft.form["response_type"] else {
            throw .b2c(.invalidRequest, 90083, "the parameter response_type is missing")
        }
        guard type == "code" else {
            throw .b2c(.unsupportedResponseType, 90013, "the only response_type is code")
        }
    }
}
