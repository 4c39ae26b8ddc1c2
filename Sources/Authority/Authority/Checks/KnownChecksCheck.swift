import FlowModel
import Policies

/// Each check that a scope requires must exist; a policy that steps up adds its own.
struct KnownChecksCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        let stepUp = draft.stepUp?.mandatoryScope ?? []
        draft.checks = try draft.catalogue.ordered(Self.checks(of: draft.scopes, draft) + stepUp)
            .map(\.name).filter { !draft.policy.baseChecks.contains($0) }
        draft.additionalChecks = try Self.checks(of: draft.additionalScopes, draft)
    }

    private static func checks(of scopes: [String], _ draft: RequestDraft) throws(Refusal) -> [String] {
        guard let api = draft.api else { return [] }
        let client = draft.client.id
        var names: Set<String> = []
        for scope in scopes {
            let policies = [draft.policy] + [draft.stepUp].compactMap { $0 }
            for name in policies.flatMap({ $0.checks(forScope: scope, api: api.name, client: client) ?? [] }) {
                guard draft.catalogue[check: name] != nil else {
                    throw Refusal(.scopeDenied, "the scope \(scope) asks for the check \(name), which does not exist")
                        .with(.check, name)
                }
                names.insert(name)
            }
        }
        names.subtract(draft.policy.baseChecks)
        return draft.catalogue.ordered(names).map(\.name)
    }
}
