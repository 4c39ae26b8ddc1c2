import FlowModel
import Policies

/// Each check that a scope requires must exist.
struct KnownChecksCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        draft.checks = try Self.checks(of: draft.scopes, draft)
        draft.additionalChecks = try Self.checks(of: draft.additionalScopes, draft)
    }

    private static func checks(of scopes: [String], _ draft: RequestDraft) throws(Refusal) -> [String] {
        guard let api = draft.api else { return [] }
        var names: Set<String> = []
        for scope in scopes {
            for name in draft.policy.checks(forScope: scope, api: api.name) ?? [] {
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
