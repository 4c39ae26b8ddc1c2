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

    @OptionGroup var browser: BrowserOption
    @OptionGroup var signIn: SignInOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let account = try await connection.withBroker(correlation, asking: signIn.answers.questions) { broker in
            try await broker.signIn(policy: signIn.policy ?? "b2c_1_sign_in", mode: browser.mode)
        }
        try Output.signedIn(account, asJSON: shared.json)
    }
}
