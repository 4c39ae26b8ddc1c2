import OAuth

/// No parameter of a sign-out is there twice (OpenID Connect RP-Initiated Logout §2).
struct LogoutParameterCheck: LogoutCheck {
    func apply(to draft: inout LogoutDraft) throws(OAuthError) {
        guard draft.form.repeated.isEmpty else { throw .invalidRequest("a parameter is there more than once") }
    }
}
