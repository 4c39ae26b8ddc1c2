import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Manages the signing keys (requires operator rights).
struct KeysGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "keys",
        "help.broker.keysGroup",
        subcommands: [KeysListCommand.self, KeysRotateCommand.self, KeysRevokeCommand.self]
    )
}

struct KeysListCommand: CallCommand {
    static let configuration = CommandConfiguration("list", "help.broker.keysListCommand")

    @OptionGroup var connection: ConnectionOptions

    var call: KeysList { KeysList() }

    func show(_ answer: [KeySummary]) throws { try Output.keys(answer) }
}

struct KeysRotateCommand: CallCommand {
    static let configuration = CommandConfiguration("rotate", "help.broker.keysRotateCommand")

    @Option(help: .text("help.broker.keysRotateCommand.alg")) var alg: String?
    @OptionGroup var connection: ConnectionOptions

    var call: KeysRotate { KeysRotate(alg: alg) }

    func show(_ answer: [KeySummary]) throws { try Output.keys(answer) }
}

struct KeysRevokeCommand: CallCommand {
    static let configuration = CommandConfiguration("revoke", "help.broker.keysRevokeCommand")

    @Argument(help: .text("help.broker.keysRevokeCommand.kid")) var kid: String
    @OptionGroup var connection: ConnectionOptions

    static var names: NamedThing { .key }
    var call: KeysRevoke { KeysRevoke(kid: kid) }

    func show(_ answer: [KeySummary]) throws { try Output.keys(answer) }
}

extension Output {
    fileprivate static func keys(_ answer: [KeySummary]) throws(CommandFailure) {
        try table(
            [
                Text("cli.broker.stateHeading").text, "ALG", Text("cli.broker.publishedHeading").text,
                Text("cli.broker.activeHeading").text, Text("cli.broker.retiredHeading").text, "KID",
            ],
            answer.map { key in
                [
                    key.state, key.alg, TimeText.utc(key.publishedAt), key.activeFrom.map(TimeText.utc) ?? "",
                    key.retiredAt.map(TimeText.utc) ?? "", key.kid,
                ]
            }
        )
    }
}
