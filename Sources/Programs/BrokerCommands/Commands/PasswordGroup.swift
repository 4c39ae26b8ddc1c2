import ArgumentParser
import FlowModel
import Terminal

/// Sees to a person's own password.
struct PasswordGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: Text("help.broker.passwordGroup").text,
        subcommands: [PasswordReset.self]
    )
}

/// Sets a new password, after a code by mail.
struct PasswordReset: PolicyCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: Text("help.broker.passwordReset").text
    )

    static let policy = UsualPolicy.passwordReset

    @OptionGroup var options: PolicyOptions
}
