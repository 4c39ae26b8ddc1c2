public import FlowModel
import OAuth
import Policies

extension APISummary {
    /// Asks for a token of this API, or of this external authority.
    ///
    /// - Parameter acquire: The request, which names it afterwards.
    /// - Throws: A refusal if the caller has named another authority.
    public func require(_ acquire: inout AcquireRequest) throws(CommandFailure) {
        guard let policy else {
            if let named = acquire.policy, !isOurs(named) { throw noToken(of: named) }
            acquire.resource = api
            return
        }
        guard acquire.policy == nil || acquire.policy == policy else { throw Self.onlyTokens(of: policy) }
        acquire.policy = policy
    }

    /// Refuses an account all of whose tokens an outside authority issues, where those of an API of ours go.
    ///
    /// - Parameter account: The account that was named.
    /// - Throws: The refusal.
    public func require(_ account: AccountSummary) throws(CommandFailure) {
        guard policy == nil, !account.policies.isEmpty, !account.policies.contains(where: isOurs) else { return }
        throw noToken(of: account.authority)
    }

    /// Compares who has issued a token with whose tokens go there.
    ///
    /// - Parameter token: The token.
    /// - Returns: True if it may go to the origins of this API, or of this outside authority.
    public func takes(_ token: AcquiredToken) -> Bool {
        guard let policy else { return isOurs(token.policy) }
        return policy == token.policy
    }

    /// True for a policy of this daemon, by any spelling; an outside authority, or a policy of one, is none.
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
    /// The token itself, if it may go to where the tokens of an API or of an outside authority go.
    ///
    /// - Parameter api: The API or authority whose origin it is for; nil if it is for no place in particular.
    /// - Returns: The token.
    /// - Throws: A refusal if another authority has issued it.
    public func going(to api: APISummary?) throws(CommandFailure) -> AcquiredToken {
        guard let api, !api.takes(self) else { return self }
        if let policy = api.policy { throw APISummary.onlyTokens(of: policy) }
        throw api.noToken(of: policy)
    }
}
