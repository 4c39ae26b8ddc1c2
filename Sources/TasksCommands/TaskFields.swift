import ArgumentParser
import Tables
import Terminal

/// What a task has beside its text.
struct TaskFields: ParsableArguments {
    @Option(help: "The day it is due, 2026-12-24, or a time, 2026-12-24T18:00:00Z; none removes it.") var due: DueDate?
    @Option(help: "Notes; none removes them.") var notes: String?
    @Option(help: "Tags; none removes them.") var tags: String?
    @Option(help: "1, 2 or 3; none removes it.") var priority: NumberOrNone?
    @Option(help: "How long it takes, as a number; none removes it.") var duration: NumberOrNone?

    /// The columns that were named, with what they are to hold.
    var values: [String: TableValue] {
        var values: [String: TableValue] = [:]
        values["due"] = due?.value
        values["notes"] = notes.map { $0 == "none" ? .null : .string($0) }
        values["tags"] = tags.map { $0 == "none" ? .null : .string($0) }
        values["priority"] = priority?.value
        values["duration"] = duration?.value
        return values
    }
}

/// A number, or `none`.
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

/// A day or a time, or `none`.
struct DueDate: ExpressibleByArgument {
    let value: TableValue

    init?(argument: String) {
        if argument == "none" {
            value = .null
        } else if argument.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil {
            value = .string("\(argument)T00:00:00.000Z")
        } else if argument.wholeMatch(of: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z/) != nil {
            value = .string(argument)
        } else {
            return nil
        }
    }
}
