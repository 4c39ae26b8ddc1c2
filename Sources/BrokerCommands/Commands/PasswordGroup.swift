import ArgumentParser
import BrokerClient
import OAuth
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
struct PasswordReset: Command {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Set a new password if you forgot the old one; a code by mail proves who you are."
    )

    @OptionGroup var browser: BrowserOption
    @OptionGroup var signIn: SignInOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let account = try await connection.withBroker(correlation, asking: signIn.answers.questions) { broker in
            try await broker.signIn(policy: signIn.policy ?? "b2c_1_password_reset", mode: browser.mode)
        }
        try Output.signedIn(account, asJSON: shared.json)
    }
}
