import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Policies
import ProgramConfiguration
import Terminal

extension TasksSubcommand {
    /// Gets a token that the person has just proved to be theirs, and notes whose it is.
    ///
    /// - Parameters:
    ///   - prompt: What the person is asked for.
    ///   - usual: The policy if none was named.
    ///   - signIn: The options of the command.
    ///   - browser: The way to a browser.
    ///   - provider: The provider that signs the person in; `nil` if that is asked.
    ///   - correlation: What ties the call to logs and audit.
    /// - Throws: What ended it.
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
            return try Output.json([
                "account": .string(token.account), "username": .string(token.username), "claims": token.claims,
            ])
        }
        try Output.line(Text("cli.tasks.signedIn", ["name": token.username]))
        if configuration.showsClaims { try Output.claims(token.claims) }
        Program.note(Text("cli.tasks.nextTasks").text)
    }
}

extension Output {
    /// Prints the claims that the API gets about the person, one a line.
    static func claims(_ claims: JSONValue) throws(CommandFailure) {
        for (name, value) in (claims.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            try line("  \(name): \(value.string ?? value.text)")
        }
    }
}
