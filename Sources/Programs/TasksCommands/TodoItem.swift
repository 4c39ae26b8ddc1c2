import FlowModel
import OAuth
import Tables
import TablesClient
import Terminal

/// A task as the API returns it.
struct TodoItem: Hashable, Sendable {
    /// The name of the table.
    static let table = "todoitem"
    /// The row of the table.
    let row: RemoteRow
    /// A word that says why the task differs from the API's, or `nil` if it does not.
    var mark: String?

    /// The id of the row.
    var id: String { row.id.text }
    /// The text, or an empty string if the row has none.
    var text: String { row.values["text"]?.string ?? "" }
    /// Whether the task is done.
    var isComplete: Bool { row.values["complete"]?.boolean ?? false }
    /// The due date (`YYYY-MM-DD`), or `nil` if there is none.
    var due: String? { row.values["due"]?.json.string.map { UniquePrefix.beginning(of: $0, 10) } }
    /// The priority, or `nil` if there is none.
    var priority: String? {
        guard case .number(let number)? = row.values["priority"] else { return nil }
        return Int64(exactly: number).map { String($0) } ?? TableValue.number(number).json.text
    }

    /// Creates a task from a row, with its mark.
    init(row: RemoteRow, marks: SyncMarks? = nil) {
        self.row = row
        mark = marks?[row.id.text]
    }

    /// The row as JSON, with the mark as the member `sync`.
    var json: JSONValue {
        guard let mark, case .object(var members) = row.json else { return row.json }
        members["sync"] = .string(mark)
        return .object(members)
    }

    /// The state to show: the words for "deleted" or "done" if they apply, and the mark.
    var state: String {
        guard mark != nil || row.isDeleted || isComplete else { return "" }
        let state: Text? =
            row.isDeleted ? Text("cli.tasks.deletedState") : isComplete ? Text("cli.tasks.doneState") : nil
        return [state?.text, mark.map(SyncMarks.shown)].compactMap { $0 }.joined(separator: ", ")
    }
}
