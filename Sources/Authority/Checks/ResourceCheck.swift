import FlowModel

/// The resource, if one is named, must be the API of the scopes (RFC 8707 §2).
struct ResourceCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        guard let resource = draft.request.resource else { return }
        let names = draft.api.map { [$0.audience, $0.name] } ?? [draft.client.id]
        guard names.contains(resource) else {
            throw Refusal(.scopeDenied, "the scopes are not of the resource that was named")
        }
    }
}
