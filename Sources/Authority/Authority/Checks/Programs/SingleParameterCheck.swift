/// No parameter is there twice (RFC 6749 §3.2) but `resource` (RFC 8707 §2).
struct SingleParameterCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws { try draft.request.requireSingle() }
}
