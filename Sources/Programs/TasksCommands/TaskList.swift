import FlowModel
import OAuth
import Tables
import TablesClient
import Terminal

/// The result of a query.
struct FoundTasks: Sendable {
    /// The tasks, in the order of the query.
    let items: [TodoItem]
    /// The total number of matching tasks, or `nil` if the count was not requested.
    let count: Int?
}

/// The table that `list` prints, with the default or the selected columns.
struct TaskList {
    private let found: FoundTasks
    private let columns: [String]

    init(_ found: FoundTasks, columns: [String]) {
        self.found = found
        self.columns = columns
    }

    /// The headings and rows to print.
    ///
    /// Default columns without any value are omitted.
    var table: (headings: [String], rows: [[String]]) {
        let shown = cells.filter { column in
            !columns.isEmpty || found.items.contains { !column.cell($0).isEmpty }
        }
        return (shown.map(\.heading), found.items.map { item in shown.map { $0.cell(item) } })
    }

    /// A column of the printed list.
    private struct Column {
        let heading: String
        let cell: (TodoItem) -> String
    }

    /// The selected columns, or the default columns.
    private var cells: [Column] {
        guard !columns.isEmpty else { return usual }
        return columns.map { name in Column(heading: name.uppercased()) { Self.member(name, of: $0)?.cell ?? "" } }
    }

    /// The default columns: the shortest unique prefix of the id, the state, the due date, the priority and the text.
    private var usual: [Column] {
        let length = UniquePrefix.length(of: found.items.map(\.id))
        return [
            Column(heading: "ID") { UniquePrefix.beginning(of: $0.id, length) },
            Column(heading: Text("cli.tasks.state").text) { $0.state },
            Column(heading: Text("cli.tasks.dueHeading").text) { $0.due ?? "" },
            Column(heading: Text("cli.tasks.priorityHeading").text) { $0.priority ?? "" },
            Column(heading: Text("cli.tasks.textColumn").text) { $0.text },
        ]
    }

    /// The list as JSON, or an object with the list and the count if the count was requested.
    var json: JSONValue {
        let rows = JSONValue.array(
            found.items.map { item in
                guard !columns.isEmpty else { return item.json }
                let members = columns.map { ($0, Self.member($0, of: item) ?? .null) }
                return .object(Dictionary(members) { first, _ in first })
            }
        )
        guard let count = found.count else { return rows }
        return ["count": .int(Int64(count)), "results": rows]
    }

    /// Returns the member with that name, or `nil`.
    ///
    /// Case is ignored, as it is by the API.
    private static func member(_ name: String, of item: TodoItem) -> JSONValue? {
        item.row.json.object?.first { $0.key.lowercased() == name.lowercased() }?.value
    }
}

extension JSONValue {
    /// The value as it appears in tables and files.
    ///
    /// Strings are unchanged, and null is empty.
    var cell: String {
        switch self {
        case .null: ""
        case .string(let text): text
        case .bool, .int, .double, .array, .object: text
        }
    }
}
