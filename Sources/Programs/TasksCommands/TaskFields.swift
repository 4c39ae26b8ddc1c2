import ArgumentParser
import FlowModel
import Tables
import Terminal

struct TaskFields: ParsableArguments {
    @Option(
        help: .text("help.tasks.taskFields.due"),
        transform: { try DueDate($0) }
    )
    var due: DueDate?
    @Option(help: .text("help.tasks.taskFields.notes")) var notes: String?
    @Option(help: .text("help.tasks.taskFields.tags")) var tags: String?
    @Option(help: .text("help.tasks.taskFields.priority")) var priority: NumberOrNone?
    @Option(help: .text("help.tasks.taskFields.duration")) var duration: NumberOrNone?

    private static let priorities: Set<TableValue> = [.null, .number(1), .number(2), .number(3)]

    func validate() throws {
        if let priority, !Self.priorities.contains(priority.value) {
            throw ValidationError(Text("cli.tasks.noPriority"))
        }
    }

    var values: [String: TableValue] {
        var values: [String: TableValue] = [:]
        values["due"] = due?.value
        values["notes"] = notes.map { $0.isEmpty ? .null : .string($0) }
        values["tags"] = tags.map { $0.isEmpty ? .null : .string($0) }
        values["priority"] = priority?.value
        values["duration"] = duration?.value
        return values
    }

    /// Throws a `ValidationError` if the words contain only whitespace, which is not a valid text for a task.
    static func requireText(_ words: [String]) throws(ValidationError) {
        if words.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) { throw ValidationError(Text("cli.tasks.sayText")) }
    }
}

struct NumberOrNone: ExpressibleByArgument {
    let value: TableValue

    init?(argument: String) {
        if argument == "none" {
            value = .null
        } else if let number = Double(argument), number.isFinite {
            value = .number(number)
        } else {
            return nil
        }
    }
}
