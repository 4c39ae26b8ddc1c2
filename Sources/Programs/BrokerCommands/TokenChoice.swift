import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Policies
import Terminal

/// Options that say which token a command gets.
struct TokenChoice: ParsableArguments {
    @Option(help: .text("help.broker.tokenChoice.policy")) var policy: String?
    @Option(help: .text("help.broker.tokenChoice.scope")) var scope: [String] = []
    @Option(help: .text("help.broker.enrolmentOptions.account")) var account: String?
    @Option(help: .text("help.broker.token.client")) var client: String?

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
            failure.hint = Text("cli.terminal.signInBy", ["command": "tokenbroker sign-in"])
            throw failure
        }
    }
}
