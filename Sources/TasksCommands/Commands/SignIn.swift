import ArgumentParser
import BrokerAPI
import FlowModel
import OAuth
import Policies
import ProgramConfiguration
import Terminal

/// Signs a person in.
struct SignIn: Command {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Sign in; the account becomes the current one."
    )

    @Option(help: "The policy that says what is asked.") var policy: String?
    @OptionGroup var browser: BrowserOption
    @OptionGroup var answers: AnswerOptions
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let configuration = try options.configuration()
        try await SigningIn(configuration, options.current, answers.questions, shared)
            .run(
                .login,
                policy ?? configuration.signIn.description,
                mode: browser.mode,
                options.connection,
                correlation
            )
    }
}
