import ArgumentParser
import FlowModel
import Foundation
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

struct Import: TasksSubcommand {
    static let configuration = CommandConfiguration("import", "help.tasks.import")
    /// The maximum size of a file, in bytes.
    private static let limit = 64 * 1024 * 1024

    @Argument(help: .text("help.tasks.import.file"), completion: .file()) var file: String
    @Option(help: .text("help.tasks.import.format")) var format: TaskFormat?
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let tasks = try (format ?? TaskFormat(path: file)).tasks(try text())
        let outcome = try await options.withTasks(correlation, network) { session in
            // Before the first pull, saved deletions would find no tasks, and saved changes would create new tasks.
            if tasks.contains(where: { $0.saved != nil }), let why = try await session.neverPulled() { throw why }
            var outcome = ImportOutcome(asJSON: shared.json)
            for task in tasks { try await outcome.add(task, session) }
            return outcome
        }
        if shared.json { try Output.json(outcome.json) } else { try outcome.show(of: tasks.count) }
        guard outcome.skipped.isEmpty else {
            throw CommandFailure(
                .failed,
                "conflicts",
                Text("cli.tasks.notImported", ["count": outcome.skipped.count]),
                hint: Text("cli.tasks.notImportedHint")
            )
        }
    }

    private func text() throws(CommandFailure) -> String {
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        // An empty file, for which `read` returns `nil`, is an export without tasks.
        guard let handle, let data = try? handle.read(upToCount: Self.limit + 1) ?? Data() else {
            throw CommandFailure(.failed, "unreadable", Text("cli.tasks.cannotRead", ["file": file]))
        }
        guard data.count <= Self.limit else { throw TaskFormat.unreadable(Text("cli.tasks.tooLarge")) }
        return try TaskFormat.decoded(data)
    }
}

private struct ImportOutcome: Sendable {
    private var added = 0
    private var changed = 0
    /// The saved edits that were skipped because another device has changed the task, each with the task's current row.
    private(set) var skipped: [(edit: SavedEdit, row: RemoteRow)] = []
    private var reports: [Text] = []
    private let asJSON: Bool

    init(asJSON: Bool) {
        self.asJSON = asJSON
    }

    /// Adds a sentence to the JSON, or prints it at once, so that it is not lost if a later task fails.
    private mutating func report(_ sentence: Text) {
        if asJSON { reports.append(sentence) } else { Program.complain(PlainText.line(sentence.text)) }
    }

    mutating func add(_ task: ImportedTask, _ session: TasksSession) async throws {
        for sentence in task.reports { report(sentence) }
        guard let id = task.id, let row = try await session.table.read(id: id) else {
            if task.isDeletion { return }
            _ = try await session.add(task.values, id: task.id)
            added += 1
            return
        }
        guard let values = task.changes(of: row, in: session.table) else {
            if let edit = task.saved { skipped.append((edit, row)) }
            return
        }
        if task.isDeletion {
            try await session.delete(TodoItem(row: row))
        } else if values.isEmpty {
            return
        } else {
            let old = TodoItem(row: row)
            _ = try await session.change(old, values)
            if task.saved == nil, values["text"] != nil {
                report(Text("cli.tasks.textReplaced", ["place": task.place, "id": old.id, "text": old.text]))
            }
        }
        changed += 1
    }

    var json: JSONValue {
        [
            "added": .int(Int64(added)), "changed": .int(Int64(changed)),
            "skipped": .array(skipped.map { .string($0.edit.id.text) }),
            "reports": .array(reports.map { .string($0.text) }),
        ]
    }

    func show(of count: Int) throws(CommandFailure) {
        try Output.line(Text("cli.tasks.imported", ["added": added, "changed": changed, "all": count]))
        for (edit, row) in skipped { try ConflictText.print(edit, over: row) }
    }
}
