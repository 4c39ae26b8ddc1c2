import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Glibc
import OAuth
import Terminal

/// Takes over accounts that other programs have kept.
struct ImportGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take over accounts that other programs keep refresh tokens of.",
        subcommands: [ImportOIDCAgent.self, ImportMSAL.self]
    )
}

/// Takes over an account of oidc-agent.
struct ImportOIDCAgent: Command {
    static let configuration = CommandConfiguration(
        commandName: "oidc-agent",
        abstract: "Take over an account of oidc-agent: `oidc-gen -p NAME | tokenbroker import oidc-agent -`."
    )

    @Argument(help: "A file with what `oidc-gen -p` prints; - for standard input.") var file: String
    @Option(help: "What to call its authority; without it as the account is called there.") var name: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let kept = try KeptAccount(oidcAgent: try ImportSource.read(file, of: .oidcAgentAccount))
        let account = try await connection.withBroker(correlation) { try await $0.call(kept.call(name: name)) }
        if shared.json { return try Output.json(account.json) }
        try Output.line(BrokerText.imported(account.username, authority: account.authority).text)
        try Output.line(BrokerText.deleteFromOIDCAgent(kept.name).text)
    }
}

/// Takes over the accounts of a cache of MSAL.
struct ImportMSAL: Command {
    static let configuration = CommandConfiguration(
        commandName: "msal",
        abstract: "Take over the accounts of a file that MSAL has serialized its cache into."
    )

    @Argument(help: "The file; - for standard input.") var file: String
    @Option(help: "What to call its authority; without it the authority's host.") var name: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let kept = try KeptAccount.all(msal: try ImportSource.read(file, of: .msalCache))
        // Each is kept before the next one is tried: what is renewed cannot be given back.
        let accounts = try await connection.withBroker(correlation) { broker in
            var accounts: [AccountSummary] = []
            for account in kept {
                let taken = try await broker.call(account.call(name: name))
                accounts.append(taken)
                if !shared.json {
                    try Output.line(BrokerText.imported(taken.username, authority: taken.authority).text)
                }
            }
            return accounts
        }
        if shared.json { return try Output.json(["accounts": .array(accounts.map(\.json))]) }
        try Output.line(BrokerText.deleteFromMSAL(PlainText.line(file)).text)
    }
}

/// The file of another program.
enum ImportSource {
    /// The longest file, in bytes.
    private static let limit = 4 << 20

    /// Reads a file, or standard input, as JSON.
    static func read(_ path: String, of source: BrokerText) throws(CommandFailure) -> JSONValue {
        let name = PlainText.line(path)
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.failed, "not_readable", "\(name) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        let bytes = try BoundedInput.read(descriptor, limit: limit, name: name)
        guard let json = try? StrictJSON.parse(bytes) else {
            throw CommandFailure(.failed, "invalid_input", BrokerText.importUnreadable(source.text).text)
        }
        return json
    }
}
