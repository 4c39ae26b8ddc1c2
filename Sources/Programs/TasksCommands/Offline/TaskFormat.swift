import ArgumentParser
import Files
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

    /// The columns in which an empty string differs from null.
    private static let strings: Set<String> = ["text", "notes", "tags"]

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
        case .csv: CSV.text([Self.columns] + items.map { item in Self.columns.map { item.row.json[$0]?.content } })
        case .todo: items.map(TodoText.line).joined(separator: "\n")
        }
    }

    /// Decodes a file, or throws a failure that contains the encoding of a file that is not UTF-8.
    static func decoded(_ bytes: some Collection<UInt8>) throws(CommandFailure) -> String {
        if let encoding = ByteOrderMark.wideEncoding(of: bytes) {
            throw unreadable(Text("cli.tasks.isWide", ["encoding": encoding]))
        }
        guard let text = String(validating: ByteOrderMark.skipped(in: bytes), as: UTF8.self) else {
            throw unreadable(Text("cli.tasks.notUTF8"))
        }
        return text
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
        guard let parsed = value(of: text), let objects = parsed.array ?? parsed["results"]?.array else {
            throw unreadable(Text(isTaskwarriorLines(text) ? "cli.tasks.isTaskwarrior" : "cli.tasks.notAnArray"))
        }
        var tasks: [ImportedTask] = []
        for (index, object) in objects.enumerated() {
            let place = Text("cli.tasks.element", ["number": index + 1])
            guard let members = object.object else { throw unreadable(Text("cli.tasks.notAnObject", ["place": place])) }
            if let edit = SavedEdit(json: object) {
                tasks.append(try saved(edit, place))
                continue
            }
            if isTaskwarrior(members) { throw unreadable(Text("cli.tasks.isTaskwarrior")) }
            var task = ImportedTask(place: place)
            try task.set(members)
            tasks.append(try task.complete())
        }
        return tasks
    }

    private static func value(of text: some StringProtocol) -> JSONValue? {
        try? StrictJSON.parse(Array(text.utf8), integers: .orFloating)
    }

    /// Whether the first line is a task of Taskwarrior, which exports one object per line if `json.array` is off.
    private static func isTaskwarriorLines(_ text: String) -> Bool {
        guard let line = text.split(whereSeparator: \.isNewline).first else { return false }
        // Older versions of Taskwarrior end the lines with commas.
        return value(of: line.hasSuffix(",") ? line.dropLast() : line)?.object.map(isTaskwarrior) ?? false
    }

    private static func isTaskwarrior(_ members: [String: JSONValue]) -> Bool {
        members["text"] == nil && members["description"] != nil && (members["uuid"] ?? members["status"]) != nil
    }

    private static func saved(_ edit: SavedEdit, _ place: Text) throws(CommandFailure) -> ImportedTask {
        guard edit.table == TodoItem.table else {
            throw unreadable(
                Text("cli.tasks.otherTable", ["place": place, "name": PlainText.excerpt(edit.table)])
            )
        }
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
        if let other = CSV.otherSeparator(text, column: "text") { throw unreadable(other) }
        let lines = try CSV.rows(text)
        guard let heading = lines.first?.map({ $0?.lowercased() ?? "" }), heading.contains("text") else {
            throw unreadable(Text("cli.tasks.noTextColumn"))
        }
        if let unknown = heading.first(where: { !columns.contains($0) }) {
            throw unreadable(Text("cli.tasks.noColumn", ["name": PlainText.excerpt(unknown)]))
        }
        if let repeated = columns.first(where: { column in heading.count { $0 == column } > 1 }) {
            throw unreadable(Text("cli.tasks.repeatedColumn", ["name": repeated]))
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
            for case (let column, let cell?) in zip(heading, cells) where !cell.isEmpty || strings.contains(column) {
                try task.set(column, cell)
            }
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
