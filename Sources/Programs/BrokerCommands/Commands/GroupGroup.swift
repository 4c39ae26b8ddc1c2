import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Manages user groups (requires operator rights).
struct GroupGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "group",
        "help.broker.groupGroup",
        subcommands: [GroupListCommand.self, GroupAddCommand.self, GroupRemoveCommand.self]
    )
}

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
                [Text("cli.broker.groupHeading").text, Text("cli.broker.membersHeading").text],
                answer.map { [$0.group, "\($0.count)"] },
                empty: Text("cli.broker.noGroups")
            )
        } else {
            for member in answer.first?.members ?? [] { try Output.line(member) }
        }
    }
}

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
