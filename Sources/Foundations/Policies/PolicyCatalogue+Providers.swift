import FlowModel

extension PolicyCatalogue {
    /// Returns a copy in which policies are unavailable if their providers or authorities are not among the given ones.
    public func offering(_ providers: Set<String>, authorities: Set<String> = []) -> PolicyCatalogue {
        var unavailable = unavailable
        var runnable: [Policy] = []
        for policy in policies.values {
            let missing = policy.providers.filter { !providers.contains($0) }
            guard let first = missing.first else {
                runnable.append(policy)
                continue
            }
            unavailable[policy.id] = Unavailable(
                kind: policy.kind.rawValue,
                displayName: policy.displayName,
                missing: Text("refusal.providerNotConfigured", ["key": "identityProviders.\(first)"])
            )
        }
        for policy in outside.values where !authorities.contains(policy.authority) {
            unavailable[policy.id] = Unavailable(
                kind: OutsidePolicy.kind,
                displayName: policy.displayName,
                missing: Text("refusal.authorityNotConfigured", ["key": "authorities.\(policy.authority)"])
            )
        }
        let checks = order.compactMap { self[check: $0] }
        return PolicyCatalogue(
            policies: runnable,
            checks: checks,
            order: order,
            unavailable: unavailable,
            outside: outside.filter { authorities.contains($0.value.authority) }
        )
    }
}
