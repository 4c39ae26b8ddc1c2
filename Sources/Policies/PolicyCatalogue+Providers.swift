extension PolicyCatalogue {
    /// The catalogue where only these providers outside are configured: a policy that names another one is listed, but
    /// cannot be run.
    public func offering(_ providers: Set<String>) -> PolicyCatalogue {
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
                missing: "`identityProviders.\(first)` is not configured in tokenbrokerd.yaml; "
                    + "docs/providers.md says what to enter"
            )
        }
        let checks = order.compactMap { self[check: $0] }
        return PolicyCatalogue(policies: runnable, checks: checks, order: order, unavailable: unavailable)
    }
}
