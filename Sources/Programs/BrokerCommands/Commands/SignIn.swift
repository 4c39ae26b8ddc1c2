import ArgumentParser
import FlowModel
import Terminal

struct SignIn: PolicyCommand {
    static let configuration = CommandConfiguration("sign-in", "help.broker.signIn")

    static let policy = UsualPolicy.signIn
    static let advice: Text? = Text("cli.broker.nextToken")

    @OptionGroup var provider: ProviderOption
    @OptionGroup var options: PolicyOptions

    var providerName: String? { provider.provider }
}
