import ArgumentParser
import OAuth
import TablesClient
import Terminal

/// Brings deleted tasks back.
struct Restore: Command {
    static let configuration = CommandConfiguration(commandName: "restore", abstract: "Bring deleted tasks back.")

    @Argument(help: "Which ones; `list --deleted --all` shows them.") var id: [String]
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let items = try await options.withTasks(correlation, network) { try await $0.restore(id) }
        if shared.json {
            try Output.json(.array(items.map(\.row.json)))
        } else {
            for item in items { try Output.line(TasksText.restored(PlainText.excerpt(item.text)).text) }
        }
    }
}
