import ArgumentParser
import FlowModel
import Terminal

/// Sees to a person's own password.
struct PasswordGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "password",
        "help.broker.passwordGroup",
        subcommands: [PasswordReset.self]
    )
}

/// Sets a new password, after a code by mail.
struct PasswordReset: PolicyCommand {
    static let configuration = CommandConfiguration("reset", "help.broker.passwordReset")

    static let policy = UsualPolicy.passwordReset

    @OptionGroup var options: PolicyOptions
}
