import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The groups of users; for operators.
struct GroupGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "group",
        "help.broker.groupGroup",
        subcommands: [GroupListCommand.self, GroupAddCommand.self, GroupRemoveCommand.self]
    )
}

/// Lists groups.
struct GroupListCommand: CallCommand {
    static let configuration = CommandConfiguration("list", "help.broker.groupListCommand")

    @Argument(help: .text("help.broker.groupListCommand.group")) var group: String?
    @Option(help: .text("help.broker.groupListCommand.after")) var after: String?
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if after != nil, group == nil { throw ValidationError(Text("cli.broker.afterNeedsGroup")) }
    }

    static var names: NamedThing { .group }
    var call: GroupList { GroupList(group: group, after: after) }

    func show(_ answer: GroupList.Answer) throws {
        if group == nil {
            try Output.table(
                [Text("cli.broker.membersHeading").text, Text("cli.broker.groupHeading").text],
                answer.map { ["\($0.count)", $0.group] }
            )
        } else {
            for member in answer.first?.members ?? [] { try Output.line(member) }
        }
    }
}

/// Puts somebody into a group.
struct GroupAddCommand: CallCommand {
    static let configuration = CommandConfiguration("add", "help.broker.groupAddCommand")

    @Argument(help: .text("help.broker.groupAddCommand.group")) var group: String
    @Argument(help: .text("help.broker.groupAddCommand.user")) var user: String
    @OptionGroup var connection: ConnectionOptions

    static var names: NamedThing { .user }
    var call: GroupAdd { GroupAdd(group: group, user: user) }

    func show(_ answer: GroupAdd.Answer) throws {
        try Output.line(Text("cli.broker.inGroup", ["user": user, "group": group, "count": answer.count]))
    }
}

/// Takes somebody out of a group.
struct GroupRemoveCommand: CallCommand {
    static let configuration = CommandConfiguration("remove", "help.broker.groupRemoveCommand")

    @Argument(help: .text("help.broker.groupAddCommand.group")) var group: String
    @Argument(help: .text("help.broker.groupAddCommand.user")) var user: String
    @OptionGroup var connection: ConnectionOptions

    static var names: NamedThing { .user }
    var call: GroupRemove { GroupRemove(group: group, user: user) }

    func show(_ answer: GroupRemove.Answer) throws {
        try Output.line(Text("cli.broker.outOfGroup", ["user": user, "group": group]))
    }
}
