import ArgumentParser
import BrokerAPI
import BrokerClient
import Files
import FlowModel
import OAuth
import Terminal

struct ImportGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "import",
        "help.broker.importGroup",
        subcommands: [ImportOIDCAgent.self, ImportMSAL.self]
    )
}

struct ImportOIDCAgent: DaemonCommand {
    static let configuration = CommandConfiguration("oidc-agent", "help.broker.importOIDCAgent")

    @Argument(help: .text("help.broker.importOIDCAgent.file")) var file: String
    @Option(help: .text("help.broker.importOIDCAgent.name")) var name: String?
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let kept = try KeptAccount(oidcAgent: try ImportSource.read(file, of: Text("cli.broker.oidcAgentAccount")))
        let account = try await connection.withBroker(correlation) { try await $0.call(kept.call(name: name)) }
        if shared.json { return try Output.json(account.json) }
        try Output.line(Text("cli.broker.imported", ["name": account.username, "authority": account.authority]))
        try Output.line(Text("cli.broker.deleteFromOIDCAgent", ["name": kept.name]))
    }
}

struct ImportMSAL: DaemonCommand {
    static let configuration = CommandConfiguration("msal", "help.broker.importMSAL")

    @Argument(help: .text("help.broker.importMSAL.file")) var file: String
    @Option(help: .text("help.broker.importMSAL.name")) var name: String?
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let kept = try KeptAccount.all(msal: try ImportSource.read(file, of: Text("cli.broker.msalCache")))
        // An import renews a refresh token, which cannot be undone, so each account is stored before the next import.
        let accounts = try await connection.withBroker(correlation) { broker in
            var accounts: [AccountSummary] = []
            for account in kept {
                let taken = try await broker.call(account.call(name: name))
                accounts.append(taken)
                if !shared.json {
                    try Output.line(
                        Text("cli.broker.imported", ["name": taken.username, "authority": taken.authority])
                    )
                }
            }
            return accounts
        }
        if shared.json { return try Output.json(["accounts": .array(accounts.map(\.json))]) }
        try Output.line(Text("cli.broker.deleteFromMSAL", ["file": PlainText.line(file)]))
    }
}

enum ImportSource {
    /// The maximum size of an imported file, in bytes.
    private static let limit = 4 << 20

    static func read(_ path: String, of source: Text) throws(CommandFailure) -> JSONValue {
        let bytes = try BoundedInput.read(path: path, limit: limit)
        guard let json = try? StrictJSON.parse(ByteOrderMark.skipped(in: bytes)) else {
            throw KeptAccount.refusal(Text("cli.broker.importUnreadable", ["source": source]))
        }
        return json
    }
}
