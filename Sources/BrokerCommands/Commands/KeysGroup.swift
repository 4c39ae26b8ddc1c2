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
struct KeysListCommand: Command {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the signing keys.")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { try await $0.call(KeysList()) }
        try Output.keys(answer, asJSON: shared.json)
    }
}

/// Makes new keys.
struct KeysRotateCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Make new signing keys, and retire those in use when nobody needs them any more."
    )

    @Option(help: "Only of this algorithm: ES256, EdDSA or RS256.") var alg: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { try await $0.call(KeysRotate(alg: alg)) }
        try Output.keys(answer, asJSON: shared.json)
    }
}

/// Revokes a key.
struct KeysRevokeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a signing key: nothing it signed is accepted any longer."
    )

    @Argument(help: "The key's id.") var kid: String
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withNamed(correlation, hint: "`tokenbroker keys list` shows them") {
            try await $0.call(KeysRevoke(kid: kid))
        }
        try Output.keys(answer, asJSON: shared.json)
    }
}

extension Output {
    /// The keys as they stand.
    fileprivate static func keys(_ answer: Many<KeySummary>, asJSON: Bool) throws(CommandFailure) {
        if asJSON {
            try json(answer.json)
            return
        }
        try table(
            ["KID", "ALG", "STATE", "PUBLISHED", "ACTIVE", "RETIRED"],
            answer.values.map { key in
                [
                    key.kid, key.alg, key.state, TimeText.utc(key.publishedAt), key.activeFrom.map(TimeText.utc) ?? "",
                    key.retiredAt.map(TimeText.utc) ?? "",
                ]
            }
        )
    }
}
