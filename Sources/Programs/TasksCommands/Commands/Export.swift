import ArgumentParser
import FlowModel
import OAuth
import Tables
import Terminal

struct Export: TasksSubcommand {
    static let configuration = CommandConfiguration("export", "help.tasks.export")

    @Option(help: .text("help.tasks.export.format")) var format: TaskFormat = .json
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions

    func validate() throws {
        if shared.json, format != .json { throw ValidationError(Text("cli.tasks.jsonIsAFormat")) }
    }

    func run(_ correlation: CorrelationID) async throws {
        let items = try await options.withTasks(correlation, network) { try await $0.found(Query()).items }
        let text = format.text(items)
        if !text.isEmpty { try Output.document(text) }
    }
}
