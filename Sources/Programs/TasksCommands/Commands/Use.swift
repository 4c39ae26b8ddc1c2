import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct Use: TasksSubcommand {
    static let configuration = CommandConfiguration(commandName: "use", abstract: Text("help.tasks.use").text)

    @Argument(help: .text("help.tasks.use.name")) var name: String
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let account = try await connection.withBroker(correlation) {
            try await $0.account(named: name, program: "tasks")
        }
        try options.current.set(account.account)
        try Output.answer(account.json, Text("cli.tasks.using", ["name": account.username]), asJSON: shared.json)
    }
}
