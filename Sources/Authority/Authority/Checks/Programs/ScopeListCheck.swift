/// A device's `scope` is a list of scopes with single spaces between them (RFC 8628 §3.1, RFC 6749 §3.3).
struct ScopeListCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws {
        draft.findings.scopes = try draft.request.scopes()
    }
}
