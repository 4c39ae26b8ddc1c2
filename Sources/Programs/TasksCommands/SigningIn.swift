import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import ProgramConfiguration
import Terminal

/// The common part of `sign-up` and `sign-in`: gets a token that the person has just proved to be theirs, and notes whose it is.
struct SigningIn: Sendable {
    private let configuration: TasksConfiguration
    private let current: CurrentAccount
    private let questions: Questions
    private let asJSON: Bool

    init(
        _ configuration: TasksConfiguration,
        _ current: CurrentAccount,
        _ questions: Questions,
        _ shared: SharedOptions
    ) {
        self.configuration = configuration
        self.current = current
        self.questions = questions
        asJSON = shared.json
    }

    func run(
        _ prompt: AcquireRequest.Prompt,
        _ policy: String,
        in browser: BrowserOption? = nil,
        provider: String? = nil,
        _ connection: ConnectionOptions,
        _ correlation: CorrelationID
    ) async throws {
        var acquire = AcquireRequest(scopes: configuration.scopes)
        acquire.policy = policy
        acquire.client = configuration.client
        acquire.additionalScopes = configuration.additionalScopes
        acquire.prompt = prompt
        acquire.mode = ProviderOption.mode(browser?.mode ?? .native, for: provider)
        acquire.provider = provider
        acquire.correlationID = correlation
        acquire.loopbackPort = browser?.loopbackPort
        let token = try await connection.withBroker(correlation, asking: questions) { [acquire] broker in
            try await broker.acquireToken(acquire)
        }
        try current.set(token.account)
        if asJSON {
            try Output.json([
                "account": .string(token.account), "username": .string(token.username), "claims": token.claims,
            ])
            return
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
