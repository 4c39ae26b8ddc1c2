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
        var outcome = ImportOutcome(of: tasks.count, asJSON: shared.json)
        do {
            func reject(_ error: TableOperationError) { outcome.reject(error) }
            try await options.withTasks(correlation, network, rejected: reject) { session in
                // Before the first pull, saved deletions would find no tasks, and saved changes would create new tasks.
                if tasks.contains(where: { $0.saved != nil }), let why = try await session.neverPulled() { throw why }
                for task in tasks { try await outcome.add(task, session) }
            }
        } catch {
            // The imported tasks are in the store even if the API rejects some of them.
            if outcome.hasEffect { try outcome.show() }
            throw error
        }
        try outcome.show()
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
    /// The place in the file of each task that was added, changed or deleted.
    private var places: [RowID: Text] = [:]
    private let count: Int
    private let asJSON: Bool

    init(of count: Int, asJSON: Bool) {
        self.count = count
        self.asJSON = asJSON
    }

    var hasEffect: Bool { added + changed + skipped.count > 0 }

    /// Adds a sentence to the JSON, or prints it at once, so that it is not lost if a later task fails.
    private mutating func report(_ sentence: Text) {
        if asJSON { reports.append(sentence) } else { Program.complain("tasks: \(PlainText.line(sentence.text))") }
    }

    mutating func add(_ task: ImportedTask, _ session: TasksSession) async throws {
        guard let id = task.id, let row = try await session.table.read(id: id) else {
            if task.isDeletion { return }
            for sentence in task.reports { report(sentence) }
            let item = try await session.add(task.values, id: task.id)
            places[item.row.id] = task.place
            added += 1
            return
        }
        guard let values = task.changes(of: row, in: session.table) else {
            if let edit = task.saved { skipped.append((edit, row)) }
            return
        }
        if task.isDeletion {
            try await session.delete(TodoItem(row: row))
            report(task.deletion(of: row))
        } else if values.isEmpty {
            return
        } else {
            for sentence in task.reports { report(sentence) }
            _ = try await session.change(TodoItem(row: row), values)
            for sentence in task.replacements(in: row, by: values) { report(sentence) }
        }
        places[row.id] = task.place
        changed += 1
    }

    /// Reports a task that the API rejected, if it is a task of the file.
    mutating func reject(_ error: TableOperationError) {
        guard let place = places[error.itemID] else { return }
        let names: [String: any TextParameter] = [
            "place": place, "id": error.itemID.text, "reason": CommandFailure(error).text,
        ]
        report(Text("cli.tasks.importRejected", names))
    }

    private var json: JSONValue {
        [
            "added": .int(Int64(added)), "changed": .int(Int64(changed)),
            "skipped": .array(skipped.map { .string($0.edit.id.text) }),
            "reports": .array(reports.map { .string($0.text) }),
        ]
    }

    func show() throws(CommandFailure) {
        if asJSON { return try Output.json(json) }
        try Output.line(Text("cli.tasks.imported", ["added": added, "changed": changed, "all": count]))
        for (edit, row) in skipped { try ConflictText.print(edit, over: row) }
    }
}
