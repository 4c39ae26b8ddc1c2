import ArgumentParser
import FlowModel
import Terminal

struct PasswordGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "password",
        "help.broker.passwordGroup",
        subcommands: [PasswordReset.self]
    )
}

struct PasswordReset: PolicyCommand {
    static let configuration = CommandConfiguration("reset", "help.broker.passwordReset")

    static let policy = UsualPolicy.passwordReset

    @OptionGroup var options: PolicyOptions
}
