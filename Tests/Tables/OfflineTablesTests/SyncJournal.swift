import Foundation
import Synchronization

/// A log of everything that users do and everything that is shown to them in one run of ``SyncModel``.
///
/// The log is a file, so it survives the end of its process.
///
/// An edit is logged before it is made, and again once it has been acknowledged. If the process is killed in between,
/// the edit may or may not have been made.
final class SyncJournal: Sendable {
    /// An edit that sets one column of one row.
    ///
    /// Every edit sets a different value.
    struct Edit: Codable, Hashable {
        let row: String
        let column: String
        let value: String
        /// The value that the user saw before the edit, or `nil` if there was none.
        let over: String?
    }

    enum Event: Codable {
        case edit(Edit)
        case edited(Edit)
        /// A row was deleted on a device, whose user saw the values `seen` before.
        case delete(row: String, device: Int, seen: [String: String])
        case deleted(row: String)
        /// A user requested that a deleted row be restored.
        case restore(row: String)
        /// A deletion was removed from the queue of the device that made it.
        case withdrawn(row: String, device: Int)
        /// A conflict or rejection showed this value.
        case shown(row: String, column: String, value: String)
        /// A conflict showed that one side has deleted the row.
        case shownDeletion(row: String)
        /// A user resolved a conflict or rejection, which discarded the values `deletes` together with the row.
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

    /// The rows that have been deleted at least once.
    var deletedRows: [String] {
        Set(
            events.compactMap { event in
                guard case .deleted(let row) = event else { return nil }
                return row
            }
        ).sorted()
    }

    /// Returns the acknowledged edits and deletions that were lost.
    ///
    /// An edit is lost if the rows do not contain it, no user who saw it replaced it, and no conflict showed it.
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

private struct LossFinder {
    private struct Cell: Hashable {
        let row: String
        let column: String
        let value: String
    }

    private let rows: [String: [String: String]]
    /// Maps each value to the edits with which users who saw the value replaced it.
    private var successors: [Cell: [SyncJournal.Edit]] = [:]
    private var shown: Set<Cell> = []
    /// The values that users saw before they deleted a row, except for deletions that were withdrawn.
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
        // The values of a deleted row return only if a user who saw the deletion restores the row.
        if deleted.contains(cell), isDeletionAccountedFor(edit.row) { return true }
        return successors[cell, default: []].contains { isAccountedFor($0) }
    }

    /// Returns whether several devices may insert rows with this id.
    ///
    /// The deletion of such a row does not affect the rows that other devices insert with the same id.
    private static func isShared(_ row: String) -> Bool { row.hasPrefix(SyncModel.sharedID) }

    func isDeletionAccountedFor(_ row: String) -> Bool {
        rows[row] == nil || shownDeletions.contains(row) || restored.contains(row) || Self.isShared(row)
    }
}
