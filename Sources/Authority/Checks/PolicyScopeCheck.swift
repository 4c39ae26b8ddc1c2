import FlowModel
import Policies

/// The policy must grant each scope.
struct PolicyScopeCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        guard let api = draft.api else { return }
        for scope in draft.scopes + draft.additionalScopes
        where draft.policy.checks(forScope: scope, api: api.name) == nil {
            throw Refusal(.scopeDenied, "policy \(draft.policy.id) does not grant \(api.name)/\(scope)")
        }
    }
}
