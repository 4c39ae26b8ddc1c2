import ArgumentParser
import FlowModel
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

enum TaskFormat: String, CaseIterable, ExpressibleByArgument {
    /// A JSON array, as `list --json` prints it.
    case json
    /// CSV (RFC 4180) with a header line.
    case csv
    /// One task per line, in the format of todo.txt.
    case todo = "todo.txt"

    /// A task's columns, in the order that CSV files use.
    static let columns = ["id", "text", "complete", "due", "priority", "duration", "notes", "tags"]

    /// Creates the format for a file's extension: CSV for `.csv`, todo.txt for `.txt`, and JSON otherwise.
    init(path: String) {
        if path.lowercased().hasSuffix(".csv") {
            self = .csv
        } else if path.lowercased().hasSuffix(".txt") {
            self = .todo
        } else {
            self = .json
        }
    }

    func text(_ items: [TodoItem]) -> String {
        switch self {
        case .json: JSONValue.array(items.map(\.row.json)).text
        case .csv: CSV.text([Self.columns] + items.map { item in Self.columns.map { item.row.json[$0]?.cell ?? "" } })
        case .todo: items.map(TodoText.line).joined(separator: "\n")
        }
    }

    /// Parses tasks, or throws a failure that contains the position of an invalid task.
    func tasks(_ text: String) throws(CommandFailure) -> [ImportedTask] {
        switch self {
        case .json: try Self.json(text)
        case .csv: try Self.csv(text)
        case .todo: try TodoText.tasks(text)
        }
    }

    private static func json(_ text: String) throws(CommandFailure) -> [ImportedTask] {
        guard let parsed = try? StrictJSON.parse(Array(text.utf8), integers: .orFloating),
            let objects = parsed.array ?? parsed["results"]?.array
        else { throw unreadable(Text("cli.tasks.notAnArray")) }
        var tasks: [ImportedTask] = []
        for (index, object) in objects.enumerated() {
            let place = Text("cli.tasks.element", ["number": index + 1])
            guard let members = object.object else { throw unreadable(Text("cli.tasks.notAnObject", ["place": place])) }
            if let edit = SavedEdit(json: object) {
                tasks.append(try saved(edit, place))
                continue
            }
            var task = ImportedTask(place: place)
            try task.set(members)
            tasks.append(try task.complete())
        }
        return tasks
    }

    private static func saved(_ edit: SavedEdit, _ place: Text) throws(CommandFailure) -> ImportedTask {
        var task = ImportedTask(place: place)
        task.saved = edit
        try task.set("id", edit.id.text)
        guard edit.kind.leavesRow, let item = edit.item else { return task }
        var members = item.json.object ?? [:]
        members["id"] = nil
        try task.set(members)
        return try task.complete()
    }

    private static func csv(_ text: String) throws(CommandFailure) -> [ImportedTask] {
        let lines = try CSV.rows(text)
        guard let heading = lines.first?.map({ $0.lowercased() }), heading.contains("text") else {
            throw unreadable(Text("cli.tasks.noTextColumn"))
        }
        if let unknown = heading.first(where: { !columns.contains($0) }) {
            throw unreadable(Text("cli.tasks.noColumn", ["name": PlainText.excerpt(unknown)]))
        }
        var tasks: [ImportedTask] = []
        for (index, cells) in lines.dropFirst().enumerated() {
            let place = Text("cli.tasks.row", ["number": index + 2])
            guard cells.count == heading.count else {
                throw unreadable(
                    Text("cli.tasks.cellCount", ["place": place, "cells": cells.count, "heading": heading.count])
                )
            }
            var task = ImportedTask(place: place)
            for (column, cell) in zip(heading, cells) where !cell.isEmpty { try task.set(column, cell) }
            tasks.append(try task.complete())
        }
        return tasks
    }

    static func unreadable(_ reason: Text) -> CommandFailure {
        CommandFailure(
            .failed,
            "unreadable",
            Text("cli.tasks.unreadable", ["reason": reason]),
            hint: Text("cli.tasks.nothingImported")
        )
    }
}

struct ImportedTask: Sendable {
    /// The line or element of the file from which the task was read, for messages.
    let place: Text
    private(set) var id: RowID?
    private(set) var values: [String: TableValue] = [:]

    /// The edit that was saved from a damaged store, or `nil` for an ordinary task.
    fileprivate(set) var saved: SavedEdit?

    var isDeletion: Bool { saved.map { !$0.kind.leavesRow } ?? false }

    /// Returns the new values for a stored task, or `nil` if the new values would overwrite another device's change.
    func changes(of row: RemoteRow, in table: SyncTable) -> [String: TableValue]? {
        let new: [String: TableValue]? = if let saved { table.changes(of: saved, over: row) } else { values }
        return new?.filter { row[$0.key] ?? .null != $0.value }
    }

    mutating func set(_ members: [String: JSONValue]) throws(CommandFailure) {
        for column in TaskFormat.columns {
            switch members[column] {
            case nil, .null?: continue
            case .string(let text)?: try set(column, text)
            case let value?: try set(column, value.text)
            }
        }
    }

    mutating func set(_ column: String, _ text: String) throws(CommandFailure) {
        switch column {
        case "id":
            guard let id = RowID(text) else {
                throw TaskFormat.unreadable(Text("cli.tasks.impossibleID", ["place": place]))
            }
            self.id = id
        case "complete":
            guard let truth = Bool(text.lowercased()) else {
                throw TaskFormat.unreadable(Text("cli.tasks.notTruth", ["column": column, "place": place]))
            }
            values[column] = .boolean(truth)
        case "due":
            guard let time = TableDate.milliseconds(text) ?? TableDate.milliseconds("\(text)T00:00:00.000Z") else {
                throw TaskFormat.unreadable(Text("cli.tasks.notDate", ["column": column, "place": place]))
            }
            values[column] = .date(time)
        case "priority", "duration":
            guard let number = Double(text), number.isFinite else {
                throw TaskFormat.unreadable(Text("cli.tasks.notNumber", ["column": column, "place": place]))
            }
            values[column] = .number(number)
        default: values[column] = .string(text)
        }
    }

    /// Returns this task, or throws a failure if the task has no text.
    func complete() throws(CommandFailure) -> ImportedTask {
        guard let text = values["text"]?.string, !text.allSatisfy(\.isWhitespace) else {
            throw TaskFormat.unreadable(Text("cli.tasks.noText", ["place": place]))
        }
        return self
    }
}
