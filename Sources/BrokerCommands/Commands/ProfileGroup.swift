import ArgumentParser
import BrokerClient
import OAuth
import Terminal

/// Sees to a person's own profile.
struct ProfileGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "See to your profile.",
        subcommands: [ProfileEdit.self]
    )
}

/// Changes a person's attributes.
struct ProfileEdit: Command {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change your name and what else a policy lets you change; tokens say it from then on."
    )

    @OptionGroup var browser: BrowserOption
    @OptionGroup var signIn: SignInOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let account = try await connection.withBroker(correlation, asking: signIn.answers.questions) { broker in
            try await broker.signIn(policy: signIn.policy ?? "b2c_1_edit_profile", mode: browser.mode)
        }
        try Output.signedIn(account, asJSON: shared.json)
    }
}
