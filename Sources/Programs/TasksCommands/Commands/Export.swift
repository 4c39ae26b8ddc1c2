import ArgumentParser
import OAuth
import Tables
import Terminal

/// Prints all tasks in a format that other programs read.
struct Export: Command {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print all tasks, those that are done too, as JSON, CSV or todo.txt."
    )

    @Option(help: "json, csv or todo.txt.") var format: TaskFormat = .json
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if shared.json, format != .json { throw ValidationError(TasksText.jsonIsAFormat.text) }
    }

    func run(_ correlation: CorrelationID) async throws {
        let items = try await options.withTasks(correlation, network) { try await $0.found(Query()).items }
        let text = format.text(items)
        if !text.isEmpty { try Output.document(text) }
    }
}
