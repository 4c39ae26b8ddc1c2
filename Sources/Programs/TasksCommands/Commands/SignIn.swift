import ArgumentParser
import BrokerAPI
import FlowModel
import OAuth
import Policies
import ProgramConfiguration
import Terminal

/// Signs a person in.
struct SignIn: Command {
    static let configuration = CommandConfiguration("sign-in", "help.tasks.signIn")

    @OptionGroup var provider: ProviderOption
    @OptionGroup var browser: BrowserOption
    @OptionGroup var signIn: SignInOptions
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let configuration = try options.configuration()
        let usual = provider.provider == nil ? configuration.signIn : configuration.social
        try await SigningIn(configuration, options.current, signIn.answers.questions, shared)
            .run(
                .login,
                signIn.policy ?? usual.description,
                in: browser,
                provider: provider.provider,
                options.connection,
                correlation
            )
    }
}
