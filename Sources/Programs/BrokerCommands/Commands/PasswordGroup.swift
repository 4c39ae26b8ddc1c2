import ArgumentParser
import Terminal

/// Sees to a person's own password.
struct PasswordGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "See to your password.",
        subcommands: [PasswordReset.self]
    )
}

/// Sets a new password, after a code by mail.
struct PasswordReset: PolicyCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Set a new password if you forgot the old one; a code by mail proves who you are."
    )

    static let policy = UsualPolicy.passwordReset

    @OptionGroup var options: PolicyOptions
}
