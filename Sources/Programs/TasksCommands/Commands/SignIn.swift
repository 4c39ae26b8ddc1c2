import ArgumentParser
import BrokerAPI
import FlowModel
import OAuth
import Policies
import ProgramConfiguration
import Terminal

struct SignIn: TasksSubcommand {
    static let configuration = CommandConfiguration("sign-in", "help.tasks.signIn")

    @OptionGroup var provider: ProviderOption
    @OptionGroup var browser: BrowserOption
    @OptionGroup var signIn: SignInOptions
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let usual = provider.provider == nil ? \TasksConfiguration.signIn : \.social
        try await authenticate(.login, usual, signIn, in: browser, provider: provider.provider, correlation)
    }
}
