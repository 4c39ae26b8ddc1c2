public import FlowModel
import OAuth
import Policies

extension APISummary {
    /// Changes a token request to request a token for this API or external authority.
    ///
    /// - Parameter acquire: The request to change.
    /// - Throws: A refusal if the request already specifies another authority.
    public func require(_ acquire: inout AcquireRequest) throws(CommandFailure) {
        guard let policy else {
            if let named = acquire.policy, !isOurs(named) { throw noToken(of: named) }
            acquire.resource = api
            return
        }
        guard acquire.policy == nil || acquire.policy == policy else { throw Self.onlyTokens(of: policy) }
        acquire.policy = policy
    }

    /// Rejects an account of an external authority if this is a local API.
    ///
    /// - Parameter account: The account that the user specified.
    /// - Throws: The refusal.
    public func require(_ account: AccountSummary) throws(CommandFailure) {
        guard policy == nil, !account.policies.isEmpty, !account.policies.contains(where: isOurs) else { return }
        throw noToken(of: account.authority)
    }

    /// Whether a token may be sent to the origins of this API or external authority, based on the token's issuer.
    ///
    /// - Parameter token: The token.
    /// - Returns: `false` if another authority issued it.
    public func takes(_ token: AcquiredToken) -> Bool {
        guard let policy else { return isOurs(token.policy) }
        return policy == token.policy
    }

    /// Whether the string is the name of one of this daemon's policies, in any of the accepted spellings.
    ///
    /// External authorities and their policies do not count.
    private func isOurs(_ policy: String) -> Bool {
        guard let id = try? PolicyID(policy) else { return false }
        return !outsidePolicies.contains(id.description)
    }

    fileprivate func noToken(of policy: String) -> CommandFailure {
        CommandFailure(
            .denied,
            "origin_refused",
            Text("failure.noTokenOf", ["policy": PlainText.line(policy), "api": api]),
            hint: Text("failure.nameOurPolicy")
        )
    }

    fileprivate static func onlyTokens(of policy: String) -> CommandFailure {
        CommandFailure(.denied, "origin_refused", Text("failure.onlyTokensOf", ["policy": PlainText.line(policy)]))
    }
}

extension AcquiredToken {
    /// Returns the token if it may be sent to the origins of an API or external authority.
    ///
    /// - Parameter api: The API or authority, or `nil` if the destination is not known.
    /// - Returns: The token.
    /// - Throws: A refusal if another authority issued it.
    public func going(to api: APISummary?) throws(CommandFailure) -> AcquiredToken {
        guard let api, !api.takes(self) else { return self }
        if let policy = api.policy { throw APISummary.onlyTokens(of: policy) }
        throw api.noToken(of: policy)
    }
}
