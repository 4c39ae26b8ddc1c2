import ArgumentParser
import FlowModel
import OAuth
import TablesClient
import Terminal

struct Restore: TasksSubcommand {
    static let configuration = CommandConfiguration(commandName: "restore", abstract: Text("help.tasks.restore").text)

    @Argument(help: .text("help.tasks.restore.id")) var id: [String]
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let items = try await options.withTasks(correlation, network) { try await $0.restore(id) }
        if shared.json { return try Output.json(.array(items.map(\.row.json))) }
        for item in items { try Output.line(Text("cli.tasks.restored", ["text": PlainText.excerpt(item.text)])) }
    }
}
