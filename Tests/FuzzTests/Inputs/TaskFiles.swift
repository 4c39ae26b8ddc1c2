import OAuth
import Tables
import TablesClient

@testable import TasksCommands

extension FuzzedInput {
    /// A file with tasks to import, in the format of todo.txt, CSV or JSON.
    static let taskFiles = FuzzedInput(name: "task-files") { bytes in
        guard let kind = bytes.first, let text = String(validating: bytes.dropFirst(), as: UTF8.self) else { return }
        let format = TaskFormat.allCases[Int(kind) % TaskFormat.allCases.count]
        if format == .csv, let rows = try? CSV.rows(text) {
            guard let again = try? CSV.rows(CSV.text(rows)) else { throw Broken(description: "CSV does not read back") }
            try require(again == rows, "CSV reads back with other cells")
        }
        guard let tasks = try? format.tasks(text), let items = try? tasks.map(item) else { return }
        let written = format.text(items)
        let again: [ImportedTask]
        do {
            again = try format.tasks(written)
        } catch {
            throw Broken(description: "exported tasks cannot be imported: \(written)")
        }
        try require(again.count == tasks.count, "\(again.count) tasks of \(tasks.count) come back: \(written)")
        for (task, other) in zip(tasks, again) {
            try require(task.id == nil || task.id == other.id, "a task comes back with another id")
            let values = other.values.filter { task.values[$0.key] != nil || $0.value != .boolean(false) }
            try require(values == task.values, "\(task.values) comes back as \(other.values): \(written)")
        }
    }

    /// Returns an imported task as the API represents it.
    private static func item(_ task: ImportedTask) throws -> TodoItem {
        var members = task.values.mapValues(\.json)
        members["id"] = .string(task.id?.text ?? "a")
        return TodoItem(row: try RemoteRow(json: .object(members)))
    }
}
