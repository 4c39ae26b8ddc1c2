import Policies

/// The API connector or custom identity provider that a policy calls.
struct OutsideCall {
    /// The service's key in the policy file or in `checks.yaml`.
    let key: String
    let url: String

    init?(_ policy: Policy, _ catalogue: PolicyCatalogue) {
        if let connector = Connector.Place.allCases.lazy.compactMap({ policy.connectors[$0] }).first {
            key = "connectors.\(connector.place.rawValue)"
            url = connector.url
            return
        }
        let checks = catalogue.ordered(policy.baseChecks + policy.secondFactor.checks + policy.scopeChecks)
        guard let (check, realm) = checks.lazy.compactMap({ check in check.realm.map { (check, $0) } }).first
        else { return nil }
        key = "checks.\(check.name)"
        url = realm.url
    }
}
