import FlowModel
import Policies

extension ResolvedRequest {
    /// Returns the request with only checks that `owner` can perform, which excludes a uid's PIN for a browser.
    ///
    /// For a browser, a check with such a credential is replaced by a check that satisfies a requested context.
    ///
    /// - Throws: `unmet_authentication_requirements` if the policy or a scope requires the check, or if no other check
    ///   satisfies a requested context.
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
