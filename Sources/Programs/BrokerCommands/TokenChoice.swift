import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Policies
import Terminal

struct TokenChoice: ParsableArguments {
    @Option(help: .text("help.broker.tokenChoice.policy")) var policy: String?
    @Option(help: .text("help.broker.tokenChoice.scope")) var scope: [String] = []
    @Option(help: .text("help.broker.enrolmentOptions.account")) var account: String?
    @Option(help: .text("help.broker.token.client")) var client: String?

    /// Gets a token for the API or, if `api` is `nil`, for the API that the scopes belong to.
    ///
    /// `renewed` must be `true` if the API rejected the previous token.
    ///
    /// - Throws: The broker's error, with a hint if the user has to sign in.
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

    /// Gets a new token after an API rejected the previous one.
    ///
    /// If the API's challenge contains requirements for the token, the new token meets them.
    ///
    /// - Throws: The broker's error, or a `CommandFailure` with a hint if the user has to be prompted.
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
