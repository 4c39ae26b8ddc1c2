import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Lists the tokens that are held, without the tokens themselves.
struct Tokens: Command {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "List the tokens that are held: scopes, policy, client and expiry, never a token."
    )

    @Option(help: "Only those of an account: its id, its user name, or the beginning of either.") var account: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { broker in
            guard let account else { return try await broker.call(TokenList()) }
            return try await broker.call(TokenList(account: try await broker.holder(named: account)))
        }
        if shared.json {
            try Output.json(answer.json)
            return
        }
        try Output.table(
            [BrokerText.usernameHeading, .expiresHeading, .policyHeading, .clientHeading, .scopesHeading].map(\.text),
            answer.map {
                [$0.username, TimeText.utc($0.expiresAt), $0.policy, $0.client, $0.scopes.joined(separator: " ")]
            }
        )
    }
}
