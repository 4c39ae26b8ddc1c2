import FlowModel
import Policies

/// The policy must grant each scope, and so must the one that steps up.
struct PolicyScopeCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        guard let api = draft.api else { return }
        for scope in draft.scopes + draft.additionalScopes {
            let policies = [draft.policy] + [draft.stepUp].compactMap { $0 }
            for policy in policies where policy.checks(forScope: scope, api: api.name) == nil {
                throw Refusal(.scopeDenied, "policy \(policy.id) does not grant \(api.name)/\(scope)")
            }
        }
    }
}
