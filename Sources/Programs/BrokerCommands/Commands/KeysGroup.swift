import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// The signing keys; for operators.
struct KeysGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "See to the signing keys; for operators.",
        subcommands: [KeysListCommand.self, KeysRotateCommand.self, KeysRevokeCommand.self]
    )
}

/// Lists keys.
struct KeysListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the signing keys.")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    var call: KeysList { KeysList() }

    func show(_ answer: [KeySummary]) throws { try Output.keys(answer) }
}

/// Makes new keys.
struct KeysRotateCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Make new signing keys, and retire those in use when nobody needs them any more."
    )

    @Option(help: "Only of this algorithm: ES256, EdDSA or RS256.") var alg: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    var call: KeysRotate { KeysRotate(alg: alg) }

    func show(_ answer: [KeySummary]) throws { try Output.keys(answer) }
}

/// Revokes a key.
struct KeysRevokeCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a signing key: nothing it signed is accepted any longer."
    )

    @Argument(help: "The key's id.") var kid: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    static var names: NamedThing { .key }
    var call: KeysRevoke { KeysRevoke(kid: kid) }

    func show(_ answer: [KeySummary]) throws { try Output.keys(answer) }
}

extension Output {
    /// The keys as they stand.
    fileprivate static func keys(_ answer: [KeySummary]) throws(CommandFailure) {
        try table(
            ["KID", "ALG"]
                + [BrokerText.stateHeading, .publishedHeading, .activeHeading, .retiredHeading].map(\.text),
            answer.map { key in
                [
                    key.kid, key.alg, key.state, TimeText.utc(key.publishedAt), key.activeFrom.map(TimeText.utc) ?? "",
                    key.retiredAt.map(TimeText.utc) ?? "",
                ]
            }
        )
    }
}
