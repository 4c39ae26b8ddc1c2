import OAuth

/// `token` is there (RFC 7009 §2.1, RFC 7662 §2.1).
struct TokenParameterCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws {
        draft.findings.token = Secret(try draft.request.required("token"))
    }
}
