import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The users of the authority; for operators.
struct UserGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "user",
        "help.broker.userGroup",
        subcommands: [
            UserListCommand.self, UserShowCommand.self, UserInviteCommand.self, UserDisableCommand.self,
            UserUnlockCommand.self, UserExpirePasswordCommand.self, UserDeleteCommand.self,
        ]
    )
}

/// Lists users.
struct UserListCommand: OperatorCommand {
    static let configuration = CommandConfiguration("list", "help.broker.userListCommand")

    @Option(help: .text("help.broker.userListCommand.after")) var after: String?
    @Option(help: .text("help.broker.userListCommand.limit")) var limit: Int64?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let limit, !(1...1000).contains(limit) {
            throw ValidationError(Text("cli.broker.between", ["option": "--limit", "least": 1, "most": 1000]))
        }
    }

    var call: UserList { UserList(after: after, limit: limit) }

    func show(_ answer: [UserSummary]) throws {
        try Output.table(
            [
                Text("cli.broker.userHeading").text, Text("cli.broker.stateHeading").text,
                Text("cli.broker.nameHeading").text, Text("cli.broker.signInNamesHeading").text,
            ],
            answer.map {
                [
                    $0.user, Text($0.enabled ? "cli.broker.enabled" : "cli.broker.disabled").text, $0.displayName,
                    $0.signInNames.joined(separator: " "),
                ]
            }
        )
    }
}

/// Shows a user.
struct UserShowCommand: OperatorCommand {
    static let configuration = CommandConfiguration("show", "help.broker.userShowCommand")

    @Argument(help: .text("help.broker.groupAddCommand.user")) var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserShow { UserShow(user: user) }
}

/// Invites somebody.
struct UserInviteCommand: OperatorCommand {
    static let configuration = CommandConfiguration("invite", "help.broker.userInviteCommand")

    @Argument(help: .text("help.broker.requestCommand.url")) var email: String
    @Option(help: .text("help.broker.userInviteCommand.days")) var days: Int64?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let days, !(1...365).contains(days) {
            throw ValidationError(Text("cli.broker.between", ["option": "--days", "least": 1, "most": 365]))
        }
    }

    var call: UserInvite { UserInvite(email: email, days: days) }

    func show(_ answer: UserInvite.Answer) throws {
        try Output.line(
            Text("cli.broker.invited", ["address": email, "time": TimeText.utc(answer.expiresAt)]).text
        )
    }
}

/// Keeps a user out.
struct UserDisableCommand: OperatorCommand {
    static let configuration = CommandConfiguration("disable", "help.broker.userDisableCommand")

    @Argument(help: .text("help.broker.groupAddCommand.user")) var user: String
    @Flag(help: .text("help.broker.userDisableCommand.undo")) var undo = false
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserDisable { UserDisable(user: user, disabled: !undo) }
}

/// Lets a user try again.
struct UserUnlockCommand: OperatorCommand {
    static let configuration = CommandConfiguration("unlock", "help.broker.userUnlockCommand")

    @Argument(help: .text("help.broker.groupAddCommand.user")) var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserUnlock { UserUnlock(user: user) }
}

/// Asks a user for another password.
struct UserExpirePasswordCommand: OperatorCommand {
    static let configuration = CommandConfiguration("expire-password", "help.broker.userExpirePasswordCommand")

    @Argument(help: .text("help.broker.groupAddCommand.user")) var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserExpirePassword { UserExpirePassword(user: user) }
}

/// Deletes a user.
struct UserDeleteCommand: OperatorCommand {
    static let configuration = CommandConfiguration("delete", "help.broker.userDeleteCommand")

    @Argument(help: .text("help.broker.userDeleteCommand.user")) var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: UserDelete { UserDelete(user: user) }

    func show(_ answer: UserDelete.Answer) throws {
        try Output.line(Text("cli.broker.deletedUser", ["user": user]).text)
    }
}

extension Output {
    /// One user.
    fileprivate static func user(_ user: UserSummary) throws(CommandFailure) {
        try line("\(user.user) \(Text(user.enabled ? "cli.broker.enabled" : "cli.broker.disabled").text)")
        try line("\(user.displayName) <\(user.signInNames.joined(separator: ", "))>")
        if let groups = user.groups, !groups.isEmpty {
            try line(Text("cli.broker.groups", ["names": groups.joined(separator: ", ")]).text)
        }
        for (name, value) in (user.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
            try line("\(name): \(value.string ?? value.text)")
        }
    }
}

extension OperatorCommand where Method.Answer == UserSummary {
    func show(_ answer: UserSummary) throws { try Output.user(answer) }
}
