import ArgumentParser
import FlowModel
import Terminal

/// Signs a person in.
struct SignIn: PolicyCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: Text("help.broker.signIn").text
    )

    static let policy = UsualPolicy.signIn
    static let advice: Text? = Text("cli.broker.nextToken")

    @OptionGroup var provider: ProviderOption
    @OptionGroup var options: PolicyOptions

    var providerName: String? { provider.provider }
}
