import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct Accounts: DaemonCommand {
    static let configuration = CommandConfiguration("accounts", "help.broker.accounts")

    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { try await $0.call(AccountList()) }
        let usual = answer.first(where: \.isDefault)?.account
        try Output.accounts(answer, current: usual, empty: Text("cli.broker.noAccounts"), asJSON: shared.json)
    }
}
