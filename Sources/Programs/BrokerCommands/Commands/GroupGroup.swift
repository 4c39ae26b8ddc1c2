import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The groups of users; for operators.
struct GroupGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "See to the groups of users, which stand in tokens; for operators.",
        subcommands: [GroupListCommand.self, GroupAddCommand.self, GroupRemoveCommand.self]
    )
}

/// Lists groups.
struct GroupListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the groups, or the members of one."
    )

    @Argument(help: "The group whose members are listed, the first 1000 by object id.") var group: String?
    @Option(help: "Only members after this object id.") var after: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if after != nil, group == nil { throw ValidationError(BrokerText.afterNeedsGroup.text) }
    }

    static var names: NamedThing { .group }
    var call: GroupList { GroupList(group: group, after: after) }

    func show(_ answer: GroupList.Answer) throws {
        if group == nil {
            try Output.table(
                [BrokerText.membersHeading, .groupHeading].map(\.text),
                answer.map { ["\($0.count)", $0.group] }
            )
        } else {
            for member in answer.first?.members ?? [] { try Output.line(member) }
        }
    }
}

/// Puts somebody into a group.
struct GroupAddCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Put a user into a group, which is made if there is none."
    )

    @Argument(help: "The group.") var group: String
    @Argument(help: "The object id or a sign-in name.") var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: GroupAdd { GroupAdd(group: group, user: user) }

    func show(_ answer: GroupAdd.Answer) throws {
        try Output.line(BrokerText.inGroup(user: user, group: group, count: answer.count).text)
    }
}

/// Takes somebody out of a group.
struct GroupRemoveCommand: OperatorCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Take a user out of a group.")

    @Argument(help: "The group.") var group: String
    @Argument(help: "The object id or a sign-in name.") var user: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .user }
    var call: GroupRemove { GroupRemove(group: group, user: user) }

    func show(_ answer: GroupRemove.Answer) throws {
        try Output.line(BrokerText.outOfGroup(user: user, group: group).text)
    }
}
