import ArgumentParser
import FlowModel
import OAuth
import Tables
import TablesClient
import Terminal

struct Add: TasksSubcommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: Text("help.tasks.add").text)

    @Argument(help: .text("help.tasks.add.text")) var text: [String]
    @Option(help: .text("help.tasks.add.id")) var id: String?
    @OptionGroup var fields: TaskFields
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions

    func validate() throws {
        try TaskFields.requireText(text)
        if let id, RowID(id) == nil { throw ValidationError(Text("cli.tasks.noRowID", ["id": id])) }
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
            var text = Text("cli.tasks.taskExists", ["id": id ?? ""])
            if let other = failure.facts["row"]?["text"]?.string {
                text = Text("cli.tasks.taskExists.text", ["id": id ?? "", "text": PlainText.excerpt(other)])
            }
            throw CommandFailure(.failed, failure.reason, text)
        } catch var failure as CommandFailure {
            failure.facts["edit"] = .object(values.mapValues(\.json))
            throw failure
        }
        let said = Text("cli.tasks.added", ["id": String(item.id.prefix(8)), "text": PlainText.excerpt(item.text)])
        try Output.answer(item.json, said, asJSON: shared.json)
    }
}
