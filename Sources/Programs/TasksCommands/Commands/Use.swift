import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Chooses the current account.
struct Use: Command {
    static let configuration = CommandConfiguration(commandName: "use", abstract: Text("help.tasks.use").text)

    @Argument(help: .text("help.tasks.use.name")) var name: String
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let account = try await options.connection.withBroker(correlation) {
            try await $0.account(named: name, program: "tasks")
        }
        try options.current.set(account.account)
        if shared.json {
            try Output.json(account.json)
        } else {
            try Output.line(Text("cli.tasks.using", ["name": account.username]))
        }
    }
}
