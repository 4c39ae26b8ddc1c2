import ArgumentParser
import FlowModel
import OAuth
import Terminal

struct Delete: TasksSubcommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: Text("help.tasks.delete").text)

    @Argument(help: .text("help.tasks.delete.id")) var id: [String]
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let items = try await options.withTasks(correlation, network) { tasks in
            let items = try await tasks.find(id)
            for item in items { try await tasks.delete(item) }
            return items
        }
        if shared.json { return try Output.json(["deleted": .array(items.map { .string($0.id) })]) }
        for item in items { try Output.line(Text("cli.tasks.deletedTask", ["text": PlainText.excerpt(item.text)])) }
    }
}
