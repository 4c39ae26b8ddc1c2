import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Lists the accounts.
struct Accounts: Command {
    static let configuration = CommandConfiguration(abstract: "List the accounts of this user of the machine.")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { try await $0.call(AccountList()) }
        try Output.accounts(answer, asJSON: shared.json)
    }
}
