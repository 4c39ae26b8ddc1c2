import FlowModel
import Policies

extension ResolvedRequest {
    /// Returns the request without the checks that a browser cannot perform because their credential belongs to a uid.
    ///
    /// Such a check is replaced by another with a requested context, unless the policy or a scope requires it.
    ///
    /// - Throws: `unmet_authentication_requirements` if a check cannot be replaced.
    func answerable(
        by owner: Owner,
        _ policy: Policy,
        _ catalogue: PolicyCatalogue
    ) throws(Refusal) -> ResolvedRequest {
        switch owner {
        case .local: return self
        case .browser: break
        }
        func belongsToUID(_ name: String) -> Bool { catalogue[check: name]?.type.belongsToUID == true }
        let required =
            policy.baseChecks + scopes.flatMap { policy.checks(forScope: $0, api: api, client: client) ?? [] }
        if let name = required.first(where: belongsToUID) { throw Self.unanswerable(name) }
        guard let replaced = checks.first(where: belongsToUID) else { return self }
        let others = catalogue.ordered(policy.scopeChecks)
        guard let other = others.first(where: { acrValues.contains($0.acr) && !$0.type.belongsToUID }) else {
            throw Self.unanswerable(replaced)
        }
        let kept = checks.filter { !belongsToUID($0) }
        return with(scopes: scopes, checks: catalogue.ordered(kept + [other.name]).map(\.name))
    }

    private static func unanswerable(_ check: String) -> Refusal {
        Refusal(
            .unmetAuthenticationRequirements,
            Text("refusal.checkNeedsProgram", ["check": check])
        ).with(.check, check)
    }
}
