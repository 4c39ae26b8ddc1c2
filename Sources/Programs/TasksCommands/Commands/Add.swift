import ArgumentParser
import OAuth
import Tables
import TablesClient
import Terminal

/// Adds a task.
struct Add: Command {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a task.")

    @Argument(help: "What is to be done.") var text: [String]
    @Option(help: "The id it gets; made if not given.") var id: String?
    @OptionGroup var fields: TaskFields
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        try TaskFields.requireText(text)
        if let id, RowID(id) == nil { throw ValidationError(TasksText.noRowID(id).text) }
    }

    func run(_ correlation: CorrelationID) async throws {
        var values = fields.values.filter { $0.value != .null }
        values["text"] = .string(text.joined(separator: " "))
        let item: TodoItem
        do {
            item = try await options.withTasks(correlation, network) {
                try await $0.add(values, id: id.flatMap { RowID($0) })
            }
        } catch let failure as CommandFailure where failure.facts["status"] == 409 {
            let text = failure.facts["row"]?["text"]?.string.map { ": \(PlainText.excerpt($0))" } ?? ""
            throw CommandFailure(.failed, failure.reason, TasksText.taskExists(id: id ?? "").text + text)
        } catch var failure as CommandFailure {
            failure.facts["edit"] = .object(values.mapValues(\.json))
            throw failure
        }
        if shared.json {
            try Output.json(item.json)
        } else {
            try Output.line(TasksText.added(id: String(item.id.prefix(8)), text: PlainText.excerpt(item.text)).text)
        }
    }
}
