import ArgumentParser
import Foundation
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

/// Adds the tasks of a file, and changes those that are here already.
struct Import: Command {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the tasks of a file; one with the id of a task here changes that."
    )
    /// Bytes of a file at most.
    private static let limit = 64 * 1024 * 1024

    @Argument(help: "The file; - is stdin.", completion: .file()) var file: String
    @Option(help: "json, csv or todo.txt; without it as the file's name ends.") var format: TaskFormat?
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let tasks = try (format ?? TaskFormat(path: file)).tasks(try text())
        let (added, changed) = try await options.withTasks(correlation, network) { session in
            var (added, changed) = (0, 0)
            for task in tasks {
                guard let id = task.id, let row = try await session.table.read(id: id) else {
                    if task.isDeletion { continue }
                    _ = try await session.add(task.values, id: task.id)
                    added += 1
                    continue
                }
                if task.isDeletion {
                    try await session.delete(TodoItem(row: row))
                    changed += 1
                    continue
                }
                let values = task.changes(of: row)
                guard !values.isEmpty else { continue }
                _ = try await session.change(TodoItem(row: row), values)
                changed += 1
            }
            return (added, changed)
        }
        if shared.json {
            try Output.json(["added": .int(Int64(added)), "changed": .int(Int64(changed))])
        } else {
            try Output.line(TasksText.imported(added: added, changed: changed, of: tasks.count).text)
        }
    }

    private func text() throws(CommandFailure) -> String {
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let handle, let data = try? handle.read(upToCount: Self.limit + 1) else {
            throw CommandFailure(.failed, "unreadable", TasksText.cannotRead(file: file).text)
        }
        guard data.count <= Self.limit else { throw TaskFormat.unreadable(.tooLarge) }
        guard let text = String(data: data, encoding: .utf8) else { throw TaskFormat.unreadable(.notUTF8) }
        return text
    }
}
