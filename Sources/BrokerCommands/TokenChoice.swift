import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Policies
import Terminal

/// Options that say which token a command gets.
struct TokenChoice: ParsableArguments {
    @Option(help: "The policy to get the token under.") var policy: String?
    @Option(help: "A scope it must have, may be repeated; without one all that the policy grants for the API.")
    var scope: [String] = []
    @Option(help: "The account: its id, its user name, or the beginning of either.") var account: String?
    @Option(help: "The client to ask as; the default is tokenbroker-cli.") var client: String?

    /// Gets a token.
    ///
    /// - Parameters:
    ///   - broker: The broker.
    ///   - api: The API that it must be for; without one that of the scopes.
    ///   - prompt: The way to ask a person.
    ///   - renewed: True for a new one in the place of one that was refused.
    /// - Returns: The token; the broker gives none that is for another API.
    /// - Throws: The broker's refusal, with advice where a person would have to be asked.
    func token(
        from broker: BrokerClient,
        for api: APISummary?,
        prompt: AcquireRequest.Prompt,
        renewed: Bool = false
    ) async throws -> AcquiredToken {
        var acquire = try await request(to: broker, for: api, prompt: prompt)
        acquire.forceRefresh = renewed
        return try await token(acquire, from: broker, for: api)
    }

    /// Gets another token in the place of one that an API has refused.
    ///
    /// - Parameters:
    ///   - challenge: The API's demands; nil if it names none.
    ///   - broker: The broker.
    ///   - api: The API.
    ///   - prompt: The way to ask a person.
    /// - Returns: A token that meets the demands, or a new one if there is none that this choice does not meet.
    /// - Throws: The broker's refusal, with advice where a person would have to be asked.
    func token(
        after challenge: WWWAuthenticate?,
        from broker: BrokerClient,
        for api: APISummary?,
        prompt: AcquireRequest.Prompt
    ) async throws -> AcquiredToken {
        let acquire = try await request(to: broker, for: api, prompt: prompt)
        guard let better = challenge.flatMap({ acquire.meeting($0) }) else {
            return try await token(from: broker, for: api, prompt: prompt, renewed: true)
        }
        do {
            return try await broker.acquireToken(better).going(to: api)
        } catch let error as BrokerError where error.refusal == .interactionRequired {
            throw CommandFailure.proofMissing
        }
    }

    private func request(
        to broker: BrokerClient,
        for api: APISummary?,
        prompt: AcquireRequest.Prompt
    ) async throws -> AcquireRequest {
        var acquire = AcquireRequest(scopes: scope)
        acquire.policy = policy
        acquire.client = client
        try api?.require(&acquire)
        acquire.prompt = prompt
        acquire.correlationID = broker.correlationID
        if let account {
            let known = try await broker.account(named: account, program: "tokenbroker")
            try api?.require(known)
            acquire.account = known.account
        }
        return acquire
    }

    private func token(
        _ acquire: AcquireRequest,
        from broker: BrokerClient,
        for api: APISummary?
    ) async throws -> AcquiredToken {
        do {
            return try await broker.acquireToken(acquire).going(to: api)
        } catch let error as BrokerError where error.refusal == .interactionRequired {
            var failure = CommandFailure(error, broker.correlationID ?? CorrelationID())
            failure.hint = "sign in by `tokenbroker sign-in`"
            throw failure
        }
    }
}

extension APISummary {
    /// Asks for a token of this API, or of this outside authority.
    ///
    /// - Parameter acquire: The request, which names it afterwards.
    /// - Throws: A refusal if the caller has named another authority.
    func require(_ acquire: inout AcquireRequest) throws(CommandFailure) {
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
    func require(_ account: AccountSummary) throws(CommandFailure) {
        guard policy == nil, !account.policies.isEmpty, !account.policies.contains(where: isOurs) else { return }
        throw noToken(of: account.authority)
    }

    /// Compares who has issued a token with whose tokens go there.
    ///
    /// - Parameter token: The token.
    /// - Returns: True if it may go to the origins of this API, or of this outside authority.
    func takes(_ token: AcquiredToken) -> Bool {
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
            "no token of \(PlainText.line(policy)) goes to the API \(api): it is an outside authority's",
            hint: "name a policy of this daemon by --policy"
        )
    }

    fileprivate static func onlyTokens(of policy: String) -> CommandFailure {
        CommandFailure(.denied, "origin_refused", "only tokens of \(PlainText.line(policy)) go there")
    }
}

extension AcquiredToken {
    /// The token itself, if it may go to where the tokens of an API or of an outside authority go.
    ///
    /// - Parameter api: The API or authority whose origin it is for; nil if it is for no place in particular.
    /// - Returns: The token.
    /// - Throws: A refusal if another authority has issued it.
    func going(to api: APISummary?) throws(CommandFailure) -> AcquiredToken {
        guard let api, !api.takes(self) else { return self }
        if let policy = api.policy { throw APISummary.onlyTokens(of: policy) }
        throw api.noToken(of: policy)
    }
}
