import OAuth

/// No parameter may be there twice (RFC 6749 §3.1) but `resource` (RFC 8707 §2).
struct RepeatedParameterCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard draft.form.repeated.allSatisfy({ $0 == "resource" }) else {
            throw .invalidRequest("a parameter is there more than once")
        }
    }
}
