import ArgumentParser
import Terminal

/// Signs a person in.
struct SignIn: PolicyCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Sign in, so that tokens come without a question."
    )

    static let policy = UsualPolicy.signIn
    static let advice: BrokerText? = .nextToken

    @OptionGroup var provider: ProviderOption
    @OptionGroup var options: PolicyOptions

    var providerName: String? { provider.provider }
}
