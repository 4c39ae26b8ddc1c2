import FlowModel

/// The client must be allowed to ask for the API and for each scope.
struct ClientScopeCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        guard let api = draft.api else { return }
        for scope in draft.scopes + draft.additionalScopes
        where !draft.client.mayAsk(for: scope, of: api.name) {
            throw Refusal(.scopeDenied, "client \(draft.client.id) may not ask for \(api.name)/\(scope)")
                .with(.notPermitted)
        }
    }
}
