import ArgumentParser
import BrokerClient
import OAuth
import Terminal

/// Signs a person in.
struct SignIn: Command {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Sign in, so that tokens come without a question."
    )

    @Option(help: "The policy that says what is asked.") var policy = "b2c_1_sign_in"
    @OptionGroup var browser: BrowserOption
    @OptionGroup var answers: AnswerOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let account = try await connection.withBroker(correlation, asking: answers.questions) { broker in
            try await broker.signIn(policy: policy, mode: browser.mode)
        }
        try Output.signedIn(account, asJSON: shared.json)
    }
}
