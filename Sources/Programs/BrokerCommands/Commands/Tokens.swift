import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct Tokens: DaemonCommand {
    static let configuration = CommandConfiguration("tokens", "help.broker.tokens")

    @Option(help: .text("help.broker.tokens.account")) var account: String?
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { broker in
            guard let account else { return try await broker.call(TokenList()) }
            return try await broker.call(TokenList(account: try await broker.holder(named: account)))
        }
        if shared.json { return try Output.json(TokenList.result(answer)) }
        try Output.table(
            [
                Text("cli.broker.usernameHeading").text, Text("cli.broker.expiresHeading").text,
                Text("cli.broker.policyHeading").text, Text("cli.broker.clientHeading").text,
                Text("cli.broker.scopesHeading").text,
            ],
            answer.map {
                [$0.username, TimeText.utc($0.expiresAt), $0.policy, $0.client, $0.scopes.joined(separator: " ")]
            },
            empty: Text(account == nil ? "cli.broker.noTokens" : "cli.broker.noTokensOfAccount")
        )
    }
}
