import FlowModel
public import Policies
import StoreRefusals

extension Authority {
    /// `iss` of a policy's tokens.
    public func issuer(of policy: PolicyID) -> String { settings().issuer(of: policy) }

    /// Returns the policy with a name in any case if it can be run and only steps up; nil for another that can be run.
    ///
    /// - Throws: `unknown_policy`.
    public func stepUp(_ name: String) throws -> Policy? {
        let policy = try PolicyCheck.policy(name, in: catalogue())
        return policy.kind.stepsUp ? policy : nil
    }

    /// Returns the policy of a name in any case, if it can be run by itself.
    ///
    /// - Throws: `unknown_policy`.
    public func policy(_ name: String) throws -> PolicyID {
        try PolicyCheck.issuer(name, in: catalogue()).id
    }

    /// The policy with an id, if it can be run.
    public func policy(_ id: PolicyID) -> Policy? { catalogue()[id] }

    /// Every policy that has an issuer, as it is now.
    public var policies: [Policy] {
        catalogue().policies.values.filter { !$0.kind.stepsUp }.sorted { $0.id < $1.id }
    }

    /// The policy at which people sign in with each provider outside, by the provider's usual name: one that has
    /// no other way, else one that has it beside others.
    public var providerPolicies: [String: String] {
        var found: [String: Policy] = [:]
        for policy in policies {
            for provider in policy.providers.map(ProviderName.usual) {
                guard let known = found[provider] else {
                    found[provider] = policy
                    continue
                }
                if policy.hasOneWay, !known.hasOneWay { found[provider] = policy }
            }
        }
        return found.mapValues(\.id.description)
    }

    /// The client with an id, configured or registered; nil if there is none.
    public func client(_ id: String) async throws -> OAuthClient? {
        try await Self.rows.storing { try await memory.snapshot().clients[id] }
    }
}

extension Policy {
    /// True if people sign in with one provider, and in no other way.
    fileprivate var hasOneWay: Bool { !isLocal && providers.count == 1 }
}
