import StrictYAML

extension PolicyReader {
    /// Reads a step-up policy, which has only checks and scopes, because the policy of the session issues the tokens.
    mutating func stepUp(_ file: YAMLValue, _ kind: PolicyKind) -> Policy {
        for (name, value) in file.members where value.isGiven && !Self.stepUpKeys.contains(name) {
            refuse(value, "`\(name)` has no effect in a step-up policy: the policy of the session issues the tokens")
        }
        let checks = known(file["mandatoryScope"])
        if file["mandatoryScope"].items.isEmpty {
            refuse(file["mandatoryScope"], "`mandatoryScope` is empty: a step-up policy requires at least one check")
        }
        let scopes = Dictionary(
            file["scopes"].members.map { ($0.name, known($0.value)) },
            uniquingKeysWith: { first, _ in first }
        )
        return Policy(
            id: id,
            kind: kind,
            displayName: file["displayName"].optionalText ?? kind.words,
            signInChecks: [],
            scopes: scopes,
            mandatoryScope: checks,
            clientScopes: clientScopes(file["clientScopes"], of: scopes),
            checks: self.checks.checks
        )
    }

    private static let stepUpKeys: Set<String> = ["kind", "displayName", "scopes", "mandatoryScope", "clientScopes"]
}
