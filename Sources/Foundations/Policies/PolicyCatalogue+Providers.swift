import FlowModel

extension PolicyCatalogue {
    /// Returns the catalogue with only the configured external providers.
    ///
    /// A policy that refers to a provider that is not configured is listed, but cannot be run.
    ///
    /// - Parameters:
    ///   - providers: The names of the configured providers.
    ///   - authorities: The names of the configured external authorities.
    /// - Returns: The catalogue.
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
