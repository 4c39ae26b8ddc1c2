import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct Accounts: TasksSubcommand {
    static let configuration = CommandConfiguration("accounts", "help.tasks.accounts")

    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { try await $0.call(AccountList()) }
        let empty = Text("cli.tasks.noAccounts")
        try Output.accounts(answer, current: options.current.id, empty: empty, asJSON: shared.json)
    }
}
