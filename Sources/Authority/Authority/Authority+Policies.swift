import FlowModel
public import Policies
import StoreRefusals

extension Authority {
    /// Returns the `iss` claim of a policy's tokens.
    public func issuer(of policy: PolicyID) -> String { settings().issuer(of: policy) }

    /// Returns the step-up policy with this name (not case-sensitive), or `nil` if the policy is not a step-up policy.
    ///
    /// - Throws: `unknown_policy` if the policy does not exist or cannot run.
    public func stepUp(_ name: String) throws -> Policy? {
        let policy = try PolicyCheck.policy(name, in: catalogue())
        return policy.kind.stepsUp ? policy : nil
    }

    /// Returns the id of the policy with this name (not case-sensitive).
    ///
    /// - Throws: `unknown_policy` if the policy does not exist, cannot run or is a step-up policy.
    public func policy(_ name: String) throws -> PolicyID {
        try PolicyCheck.issuer(name, in: catalogue()).id
    }

    /// Returns the policy with this id, or `nil` if the policy does not exist or cannot run.
    public func policy(_ id: PolicyID) -> Policy? { catalogue()[id] }

    /// The loaded policies that have an issuer, ordered by id.
    public var policies: [Policy] {
        catalogue().policies.values.filter { !$0.kind.stepsUp }.sorted { $0.id < $1.id }
    }

    /// The id of one policy for each external provider that a policy offers, keyed by the provider's name.
    ///
    /// A policy in which this provider is the only way to sign in takes precedence over other policies.
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

    /// Returns the configured or registered client with this id, or `nil` if no client has this id.
    public func client(_ id: String) async throws -> OAuthClient? {
        try await Self.rows.storing { try await memory.snapshot().clients[id] }
    }
}

extension Policy {
    fileprivate var hasOneWay: Bool { !isLocal && providers.count == 1 }
}
