import Policies

/// The policy of the address exists, and is an issuer (RFC 8414 §2).
struct IssuerCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws {
        draft.policy = try PolicyCheck.issuer(
            draft.request.policy,
            settings: draft.authority.settings(),
            catalogue: draft.authority.catalogue()
        )
    }
}
