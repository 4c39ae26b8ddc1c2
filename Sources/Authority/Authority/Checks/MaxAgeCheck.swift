import FlowModel

/// A `max_age` must not be negative (OpenID Connect Core §3.1.2.1).
struct MaxAgeCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        guard (draft.request.maxAge ?? 0) >= 0 else {
            throw Refusal(.unmetAuthenticationRequirements, "maxAge is negative, and nobody proves anything in future")
        }
    }
}
