import Foundation
import Synchronization

/// Everything that users did and were shown in one run of ``SyncModel``; it is a file, so that it outlives its process.
///
/// An edit is written down before it is made and once more when it was acknowledged, so that a process that is killed in
/// between leaves an edit that may have been made.
final class SyncJournal: Sendable {
    /// One column of one row that was set; no two edits set the same value.
    struct Edit: Codable, Hashable {
        let row: String
        let column: String
        let value: String
        /// The value that the user saw before; nil for none.
        let over: String?
    }

    enum Event: Codable {
        case edit(Edit)
        case edited(Edit)
        /// A row was deleted at a device, with the values that the user saw.
        case delete(row: String, device: Int, seen: [String: String])
        case deleted(row: String)
        /// A user asked for a deleted row to come back.
        case restore(row: String)
        /// The deletion of a row was taken out of the queue of the device that made it.
        case withdrawn(row: String, device: Int)
        /// A conflict or refusal showed this value.
        case shown(row: String, column: String, value: String)
        /// A conflict showed that one side has deleted the row.
        case shownDeletion(row: String)
        /// A user decides a conflict or refusal, and with a deletion gives these values up.
        case decided(row: String, deletes: [String: String])
        /// The last decision about a row was not accepted.
        case undecided(row: String)
    }

    private let file: FileHandle
    private let state: Mutex<[Event]>

    init(_ path: String) throws {
        let lines = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let events = try lines.split(separator: "\n").map { line in
            try JSONDecoder().decode(Event.self, from: Data(line.utf8))
        }
        state = Mutex(events)
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func add(_ event: Event) throws {
        try file.write(contentsOf: JSONEncoder().encode(event) + Data("\n".utf8))
        state.withLock { $0.append(event) }
    }

    private var events: [Event] { state.withLock { $0 } }

    /// The rows that were deleted at some time.
    var deletedRows: [String] {
        Set(
            events.compactMap { event in
                guard case .deleted(let row) = event else { return nil }
                return row
            }
        ).sorted()
    }

    /// Says which acknowledged edits and deletions are neither in the rows nor superseded by a user who saw them, and were
    /// never shown in a conflict.
    func lost(_ rows: [String: [String: String]]) -> [String] {
        let finder = LossFinder(events, rows)
        return events.compactMap { event -> String? in
            switch event {
            case .edited(let edit): return finder.isAccountedFor(edit) ? nil : "\(edit) is nowhere"
            case .deleted(let row): return finder.isDeletionAccountedFor(row) ? nil : "the deletion of \(row) is undone"
            case .edit, .delete, .restore, .withdrawn, .shown, .shownDeletion, .decided, .undecided:
                return nil
            }
        }
    }
}

/// Looks for edits that were lost.
private struct LossFinder {
    private struct Cell: Hashable {
        let row: String
        let column: String
        let value: String
    }

    private let rows: [String: [String: String]]
    /// The edits that were made over a value, by a user who saw it.
    private var successors: [Cell: [SyncJournal.Edit]] = [:]
    private var shown: Set<Cell> = []
    /// The values that users saw who deleted their row and did not take that back at once.
    private let deleted: Set<Cell>
    private var shownDeletions: Set<String> = []
    private var restored: Set<String> = []

    init(_ events: [SyncJournal.Event], _ rows: [String: [String: String]]) {
        self.rows = rows
        var deletions: [String: [Set<Cell>]] = [:]
        for event in events {
            switch event {
            case .edit(let edit):
                guard let over = edit.over else { continue }
                successors[Cell(row: edit.row, column: edit.column, value: over), default: []].append(edit)
            case .edited, .deleted: break
            case .delete(let row, let device, let seen):
                let cells = seen.map { Cell(row: row, column: $0.key, value: $0.value) }
                deletions["\(device) \(row)", default: []].append(Set(cells))
            case .decided(let row, let values):
                let cells = values.map { Cell(row: row, column: $0.key, value: $0.value) }
                deletions["decided \(row)", default: []].append(Set(cells))
            case .undecided(let row): _ = deletions["decided \(row)"]?.popLast()
            case .withdrawn(let row, let device): _ = deletions["\(device) \(row)"]?.popLast()
            case .restore(let row): restored.insert(row)
            case .shown(let row, let column, let value): shown.insert(Cell(row: row, column: column, value: value))
            case .shownDeletion(let row): shownDeletions.insert(row)
            }
        }
        deleted = deletions.values.reduce(into: []) { cells, rows in
            for row in rows { cells.formUnion(row) }
        }
    }

    func isAccountedFor(_ edit: SyncJournal.Edit) -> Bool {
        let cell = Cell(row: edit.row, column: edit.column, value: edit.value)
        if shown.contains(cell) { return true }
        if rows[edit.row]?[edit.column] == edit.value { return true }
        // What went with its row came back only if a user decided so, who was shown the deletion or asked for the row.
        if deleted.contains(cell), isDeletionAccountedFor(edit.row) { return true }
        return successors[cell, default: []].contains { isAccountedFor($0) }
    }

    /// Whether several devices add rows of this id: a deletion of one of them says nothing about another.
    private static func isShared(_ row: String) -> Bool { row.hasPrefix(SyncModel.sharedID) }

    func isDeletionAccountedFor(_ row: String) -> Bool {
        rows[row] == nil || shownDeletions.contains(row) || restored.contains(row) || Self.isShared(row)
    }
}
