import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Policies
import ProgramConfiguration
import Terminal

extension TasksSubcommand {
    /// Signs the user in, and makes the user's account the current account.
    ///
    /// The policy `usual` from the configuration is used if `signIn` does not specify a policy.
    func authenticate(
        _ prompt: AcquireRequest.Prompt,
        _ usual: KeyPath<TasksConfiguration, PolicyID>,
        _ signIn: SignInOptions,
        in browser: BrowserOption? = nil,
        provider: String? = nil,
        _ correlation: CorrelationID
    ) async throws {
        let configuration = try options.configuration()
        var acquire = AcquireRequest(scopes: configuration.scopes)
        acquire.policy = signIn.policy ?? configuration[keyPath: usual].description
        acquire.client = configuration.client
        acquire.additionalScopes = configuration.additionalScopes
        acquire.prompt = prompt
        acquire.mode = ProviderOption.mode(browser?.mode ?? .native, for: provider)
        acquire.provider = provider
        acquire.correlationID = correlation
        acquire.loopbackPort = browser?.loopbackPort
        let questions = signIn.answers.questions
        let token = try await connection.withBroker(correlation, asking: questions) { [acquire] broker in
            try await broker.acquireToken(acquire)
        }
        try options.current.set(token.account)
        if shared.json {
            var members: [String: JSONValue] = [
                "account": .string(token.account), "username": .string(token.username),
            ]
            if configuration.showsClaims { members["claims"] = token.claims }
            return try Output.json(.object(members))
        }
        try Output.line(Text("cli.tasks.signedIn", ["name": token.username]))
        if configuration.showsClaims { try Output.claims(token.claims) }
        Program.note(Text("cli.tasks.nextTasks").text)
    }
}

extension Output {
    static func claims(_ claims: JSONValue) throws(CommandFailure) {
        for (name, value) in (claims.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            try line("  \(name): \(value.string ?? value.text)")
        }
    }
}
