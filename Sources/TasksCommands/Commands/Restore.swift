import ArgumentParser
import OAuth
import TablesClient
import Terminal

/// Brings deleted tasks back.
struct Restore: Command {
    static let configuration = CommandConfiguration(abstract: "Bring deleted tasks back.")

    @Argument(help: "Which ones; `list --deleted --all` shows them.") var id: [String]
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let items = try await options.withTasks(correlation) { tasks in
            var restored: [TodoItem] = []
            for item in try await tasks.find(id, deleted: true) { restored.append(try await tasks.restore(item)) }
            return restored
        }
        if shared.json {
            try Output.json(.array(items.map(\.row.json)))
        } else {
            for item in items { try Output.line("Restored: \(PlainText.excerpt(item.text))") }
        }
    }
}
