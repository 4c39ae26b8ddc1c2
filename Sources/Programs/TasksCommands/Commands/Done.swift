import ArgumentParser
import FlowModel
import OAuth
import Tables
import TablesClient
import Terminal

struct Done: TasksSubcommand {
    static let configuration = CommandConfiguration(commandName: "done", abstract: Text("help.tasks.done").text)

    @Argument(help: .text("help.tasks.delete.id")) var id: [String]
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let items = try await options.withTasks(correlation, network) { tasks in
            var changed: [TodoItem] = []
            for item in try await tasks.find(id) {
                changed.append(try await tasks.change(item, ["complete": .boolean(true)]))
            }
            return changed
        }
        if shared.json { return try Output.json(.array(items.map(\.row.json))) }
        for item in items { try Output.line(Text("cli.tasks.done", ["text": PlainText.excerpt(item.text)])) }
    }
}
