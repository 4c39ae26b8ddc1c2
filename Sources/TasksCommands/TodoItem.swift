import OAuth
import Tables
import TablesClient

/// One task, as the API has it.
struct TodoItem: Hashable, Sendable {
    /// The table they are kept in.
    static let table = "todoitem"
    /// The row.
    let row: RemoteRow

    /// Its id.
    var id: String { row.id.text }
    /// What is to be done.
    var text: String { row.values["text"]?.string ?? "" }
    /// Whether it is done.
    var isComplete: Bool { row.values["complete"]?.boolean ?? false }
    /// The day it is due.
    var due: String? { row.values["due"]?.json.string.map { String($0.prefix(10)) } }
    /// How much it matters.
    var priority: String? {
        guard case .number(let number)? = row.values["priority"] else { return nil }
        return TableValue.number(number).json.text
    }

    /// Whether it is deleted, done, or neither.
    var state: String { row.isDeleted ? "deleted" : isComplete ? "done" : "" }

    /// The cells of a line: as much of the id, state, day, priority, text.
    func cells(idLength: Int) -> [String] {
        [String(id.prefix(idLength)), state, due ?? "", priority ?? "", text]
    }
}
