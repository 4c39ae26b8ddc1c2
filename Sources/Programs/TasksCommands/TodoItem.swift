import FlowModel
import OAuth
import Tables
import TablesClient
import Terminal

/// One task, as the API has it.
struct TodoItem: Hashable, Sendable {
    /// The table they are kept in.
    static let table = "todoitem"
    /// The row.
    let row: RemoteRow
    /// The word for what keeps it from being as the API has it; nil if nothing does.
    var mark: String?

    /// Its id.
    var id: String { row.id.text }
    /// The text of the task.
    var text: String { row.values["text"]?.string ?? "" }
    /// True if it is done.
    var isComplete: Bool { row.values["complete"]?.boolean ?? false }
    /// The day it is due.
    var due: String? { row.values["due"]?.json.string.map { UniquePrefix.beginning(of: $0, 10) } }
    /// The priority.
    var priority: String? {
        guard case .number(let number)? = row.values["priority"] else { return nil }
        return Int64(exactly: number).map { String($0) } ?? TableValue.number(number).json.text
    }

    /// A task, with its mark.
    init(row: RemoteRow, marks: SyncMarks? = nil) {
        self.row = row
        mark = marks?[row.id.text]
    }

    /// The row as JSON, with its mark as `sync`.
    var json: JSONValue {
        guard let mark, case .object(var members) = row.json else { return row.json }
        members["sync"] = .string(mark)
        return .object(members)
    }

    /// Deleted, done, or neither, and its mark.
    var state: String {
        guard mark != nil || row.isDeleted || isComplete else { return "" }
        let state: Text? =
            row.isDeleted ? Text("cli.tasks.deletedState") : isComplete ? Text("cli.tasks.doneState") : nil
        return [state?.text, mark.map(SyncMarks.shown)].compactMap { $0 }.joined(separator: ", ")
    }
}
