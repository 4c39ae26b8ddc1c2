import OAuth

/// A pushed request names no `request_uri` (RFC 9126 §2.1).
struct NestedRequestCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws {
        guard draft.request.form["request_uri"] == nil else {
            throw OAuthError.invalidRequest("a pushed request names no request_uri")
        }
    }
}
