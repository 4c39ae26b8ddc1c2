import FlowModel

/// The resource, if one is named, must be the API of the scopes: by its audience, its name, or one of its URIs
/// (RFC 8707 §2).
struct ResourceCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        guard let resource = draft.request.resource else { return }
        let names = draft.api?.names ?? [draft.client.id]
        guard names.contains(resource) else {
            throw Refusal(.scopeDenied, "the scopes are not of the resource that was named").with(.resource, resource)
        }
        if draft.api?.resources.contains(resource) == true { draft.resource = resource }
    }
}
