public import FlowModel
import OAuth
import Policies

extension APISummary {
    /// Sets the API or external authority of a token request, or throws if the request specifies another authority.
    public func require(_ acquire: inout AcquireRequest) throws(CommandFailure) {
        guard let policy else {
            if let named = acquire.policy, !isOurs(named) { throw noToken(of: named) }
            acquire.resource = api
            return
        }
        guard acquire.policy == nil || acquire.policy == policy else { throw Self.onlyTokens(of: policy) }
        acquire.policy = policy
    }

    /// Throws a refusal if this API is local and the account belongs to an external authority.
    public func require(_ account: AccountSummary) throws(CommandFailure) {
        guard policy == nil, !account.policies.isEmpty, !account.policies.contains(where: isOurs) else { return }
        throw noToken(of: account.authority)
    }

    /// Whether the token was issued by this API's authority and may therefore be sent to this API's origins.
    public func takes(_ token: AcquiredToken) -> Bool {
        guard let policy else { return isOurs(token.policy) }
        return policy == token.policy
    }

    /// Whether the string is the name of a local policy, in any accepted spelling.
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
    /// Returns this token, or throws a refusal if `api` is not `nil` and requires a token from another authority.
    public func going(to api: APISummary?) throws(CommandFailure) -> AcquiredToken {
        guard let api, !api.takes(self) else { return self }
        if let policy = api.policy { throw APISummary.onlyTokens(of: policy) }
        throw api.noToken(of: policy)
    }
}
