import FlowModel
import OAuth
import Tables
import TablesClient
import Terminal

struct TodoItem: Hashable, Sendable {
    static let table = "todoitem"
    let row: RemoteRow
    /// The task's mark from ``SyncMarks``, or `nil` if the API has the same version of the task.
    var mark: String?

    var id: String { row.id.text }
    var text: String { row.values["text"]?.string ?? "" }
    var isComplete: Bool { row.values["complete"]?.boolean ?? false }
    /// The due date as `YYYY-MM-DD`, or `nil` if the task has no due date.
    var due: String? { row.values["due"]?.json.string.map { UniquePrefix.beginning(of: $0, 10) } }
    var priority: String? {
        guard case .number(let number)? = row.values["priority"] else { return nil }
        return Int64(exactly: number).map { String($0) } ?? TableValue.number(number).json.text
    }

    init(row: RemoteRow, marks: SyncMarks? = nil) {
        self.row = row
        mark = marks?[row.id.text]
    }

    var json: JSONValue {
        guard let mark, case .object(var members) = row.json else { return row.json }
        members["sync"] = .string(mark)
        return .object(members)
    }

    var state: String {
        guard mark != nil || row.isDeleted || isComplete else { return "" }
        let state: Text? =
            row.isDeleted ? Text("cli.tasks.deletedState") : isComplete ? Text("cli.tasks.doneState") : nil
        return [state?.text, mark.map(SyncMarks.shown)].compactMap { $0 }.joined(separator: ", ")
    }
}
