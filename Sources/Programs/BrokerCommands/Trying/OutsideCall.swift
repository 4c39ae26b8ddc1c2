import Policies

/// A service outside that a policy calls: an API connector, or a custom identity provider.
struct OutsideCall {
    /// The key of the policy's file, or of `checks.yaml`, that names it.
    let key: String
    /// Its address.
    let url: String

    /// The first that a walk through the policy may call; nil if everything is asked here.
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
