/// A program's request is for one `resource`, one of `apis.NAME.resources` (RFC 8707 §2).
struct SingleResourceCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws {
        draft.findings.resource = try draft.authority.settings().resource(draft.request.form)
    }
}
