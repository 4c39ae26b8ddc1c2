import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The users of the authority; for operators.
struct UserGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "See to the users of the authority; for operators.",
        subcommands: [
            UserListCommand.self, UserShowCommand.self, UserInviteCommand.self, UserDisableCommand.self,
            UserUnlockCommand.self, UserExpirePasswordCommand.self, UserDeleteCommand.self,
        ]
    )
}

/// Lists users.
struct UserListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the users, by object id.")

    @Option(help: "Only those after this object id.") var after: String?
    @Option(help: "At most so many, 1 to 1000.") var limit: Int64?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let limit, !(1...1000).contains(limit) { throw ValidationError(BrokerText.between("--limit", 1, 1000).text) }
    }

    var call: UserList { UserList(after: after, limit: limit) }

    func show(_ answer: [UserSummary]) throws {
        try Output.table(
            [BrokerText.userHeading, .stateHeading, .nameHeading, .signInNamesHeading].map(\.text),
            answer.map {
                [
                    $0.user, ($0.enabled ? BrokerText.enabled : .disabled).text, $0.displayName,
                    $0.signInNames.joined(separator: " "),
                ]
            }
        )
    }
}

/// Shows a user.
struct UserShowCommand: OperatorCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a user, with attributes.")

    @Argument(help: "The object id or a sign-in name.") var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserShow { UserShow(user: user) }
}

/// Invites somebody.
struct UserInviteCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Invite whoever has an address to sign up with it, by mail."
    )

    @Argument(help: "The address.") var email: String
    @Option(help: "How many days the invitation is good, 1 to 365.") var days: Int64?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let days, !(1...365).contains(days) { throw ValidationError(BrokerText.between("--days", 1, 365).text) }
    }

    var call: UserInvite { UserInvite(email: email, days: days) }

    func show(_ answer: UserInvite.Answer) throws {
        try Output.line(BrokerText.invited(email, until: TimeText.utc(answer.expiresAt)).text)
    }
}

/// Keeps a user out.
struct UserDisableCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Keep a user from signing in, and end sessions and renewals."
    )

    @Argument(help: "The object id or a sign-in name.") var user: String
    @Flag(help: "Let the user sign in again.") var undo = false
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserDisable { UserDisable(user: user, disabled: !undo) }
}

/// Lets a user try again.
struct UserUnlockCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Lift the blocks on a user's attempts."
    )

    @Argument(help: "The object id or a sign-in name.") var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserUnlock { UserUnlock(user: user) }
}

/// Asks a user for another password.
struct UserExpirePasswordCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire-password",
        abstract: "Ask a user for another password at the next sign-in, and end sessions and renewals."
    )

    @Argument(help: "The object id or a sign-in name.") var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserExpirePassword { UserExpirePassword(user: user) }
}

/// Deletes a user.
struct UserDeleteCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a user, with sessions, flows and renewals, or take an invitation back."
    )

    @Argument(help: "The object id or a sign-in name, or an invited address.") var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserDelete { UserDelete(user: user) }

    func show(_ answer: UserDelete.Answer) throws { try Output.line(BrokerText.deletedUser(user).text) }
}

extension Output {
    /// One user.
    fileprivate static func user(_ user: UserSummary) throws(CommandFailure) {
        try line("\(user.user) \((user.enabled ? BrokerText.enabled : .disabled).text)")
        try line("\(user.displayName) <\(user.signInNames.joined(separator: ", "))>")
        if let groups = user.groups, !groups.isEmpty {
            try line(BrokerText.groups(groups.joined(separator: ", ")).text)
        }
        for (name, value) in (user.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
            try line("\(name): \(value.string ?? value.text)")
        }
    }
}

extension OperatorCommand where Method.Answer == UserSummary {
    func show(_ answer: UserSummary) throws { try Output.user(answer) }
}
