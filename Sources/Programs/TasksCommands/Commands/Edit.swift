import ArgumentParser
import FlowModel
import OAuth
import Tables
import TablesClient
import Terminal

struct Edit: TasksSubcommand {
    static let configuration = CommandConfiguration(commandName: "edit", abstract: Text("help.tasks.edit").text)

    @Argument(help: .text("help.tasks.edit.id")) var id: String
    @Argument(help: .text("help.tasks.edit.text")) var text: [String] = []
    @Flag(help: .text("help.tasks.edit.undone")) var undone = false
    @OptionGroup var fields: TaskFields
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions

    func validate() throws {
        if !text.isEmpty { try TaskFields.requireText(text) }
        if changes.isEmpty {
            throw ValidationError(Text("cli.tasks.sayChange"))
        }
    }

    private var changes: [String: TableValue] {
        var values = fields.values
        if !text.isEmpty { values["text"] = .string(text.joined(separator: " ")) }
        if undone { values["complete"] = .boolean(false) }
        return values
    }

    func run(_ correlation: CorrelationID) async throws {
        let item: TodoItem
        do {
            item = try await options.withTasks(correlation, network) { tasks in
                guard let item = try await tasks.find([id]).first else {
                    throw CommandFailure(.failed, "not_found", Text("cli.tasks.noTask", ["id": id]))
                }
                return try await tasks.change(item, changes)
            }
        } catch let failure as CommandFailure {
            throw failure.keeping(changes)
        }
        let said = Text("cli.tasks.changed", ["id": String(item.id.prefix(8)), "text": PlainText.excerpt(item.text)])
        try Output.answer(item.json, said, asJSON: shared.json)
    }
}
