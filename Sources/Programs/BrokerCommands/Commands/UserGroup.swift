import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Manages the authority's users (requires operator rights).
struct UserGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "user",
        "help.broker.userGroup",
        subcommands: [
            UserListCommand.self, UserCommand<UserShow>.self, UserInviteCommand.self, UserDisableCommand.self,
            UserCommand<UserUnlock>.self, UserCommand<UserExpirePassword>.self, UserDeleteCommand.self,
        ]
    )
}

struct UserListCommand: CallCommand {
    static let configuration = CommandConfiguration("list", "help.broker.userListCommand")

    @Option(help: .text("help.broker.userListCommand.after")) var after: String?
    @Option(help: .text("help.broker.userListCommand.limit")) var limit: Int64?
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let limit, !(1...1000).contains(limit) {
            throw ValidationError(Text("cli.broker.between", ["option": "--limit", "least": 1, "most": 1000]))
        }
    }

    var call: UserList { UserList(after: after, limit: limit) }

    func show(_ answer: [UserSummary]) throws {
        try Output.table(
            [
                Text("cli.broker.nameHeading").text, Text("cli.broker.signInNamesHeading").text,
                Text("cli.broker.stateHeading").text, Text("cli.broker.userHeading").text,
            ],
            answer.map {
                [
                    $0.displayName, $0.signInNames.joined(separator: " "),
                    Text($0.enabled ? "cli.broker.enabled" : "cli.broker.disabled").text, $0.user,
                ]
            },
            empty: Text(after == nil ? "cli.broker.noUsers" : "cli.broker.noMoreUsers")
        )
    }
}

protocol UserCommandMethod: UserMethod where Answer == UserSummary {
    static var command: CommandConfiguration { get }
}

extension UserShow: UserCommandMethod {
    static let command = CommandConfiguration("show", "help.broker.userShowCommand")
}

extension UserUnlock: UserCommandMethod {
    static let command = CommandConfiguration("unlock", "help.broker.userUnlockCommand")
}

extension UserExpirePassword: UserCommandMethod {
    static let command = CommandConfiguration("expire-password", "help.broker.userExpirePasswordCommand")
}

struct UserCommand<Method: UserCommandMethod>: CallCommand {
    static var configuration: CommandConfiguration { Method.command }

    @Argument(help: .text("help.broker.groupAddCommand.user")) var user: String
    @OptionGroup var connection: ConnectionOptions

    static var names: NamedThing { .user }
    var call: Method { Method(user: user) }
}

struct UserInviteCommand: CallCommand {
    static let configuration = CommandConfiguration("invite", "help.broker.userInviteCommand")

    @Argument(help: .text("help.broker.userInviteCommand.email")) var email: String
    @Option(help: .text("help.broker.userInviteCommand.days")) var days: Int64?
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let days, !(1...365).contains(days) {
            throw ValidationError(Text("cli.broker.between", ["option": "--days", "least": 1, "most": 365]))
        }
    }

    var call: UserInvite { UserInvite(email: email, days: days) }

    func show(_ answer: UserInvite.Answer) throws {
        try Output.line(Text("cli.broker.invited", ["address": email, "time": TimeText.utc(answer.expiresAt)]))
    }
}

struct UserDisableCommand: CallCommand {
    static let configuration = CommandConfiguration("disable", "help.broker.userDisableCommand")

    @Argument(help: .text("help.broker.groupAddCommand.user")) var user: String
    @Flag(help: .text("help.broker.userDisableCommand.undo")) var undo = false
    @OptionGroup var connection: ConnectionOptions

    static var names: NamedThing { .user }
    var call: UserDisable { UserDisable(user: user, disabled: !undo) }
}

struct UserDeleteCommand: CallCommand {
    static let configuration = CommandConfiguration("delete", "help.broker.userDeleteCommand")

    @Argument(help: .text("help.broker.userDeleteCommand.user")) var user: String
    @OptionGroup var connection: ConnectionOptions

    static var names: NamedThing { .user }
    var call: UserDelete { UserDelete(user: user) }

    func show(_ answer: UserDelete.Answer) throws {
        try Output.line(Text("cli.broker.deletedUser", ["user": user]))
    }
}

extension Output {
    fileprivate static func user(_ user: UserSummary) throws(CommandFailure) {
        try line("\(user.user) \(Text(user.enabled ? "cli.broker.enabled" : "cli.broker.disabled").text)")
        try line("\(user.displayName) <\(user.signInNames.joined(separator: ", "))>")
        if let groups = user.groups, !groups.isEmpty {
            try line(Text("cli.broker.groups", ["names": groups.joined(separator: ", ")]))
        }
        for (name, value) in (user.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
            try line("\(name): \(value.string ?? value.text)")
        }
    }
}

extension CallCommand where Method.Answer == UserSummary {
    func show(_ answer: UserSummary) throws { try Output.user(answer) }
}
