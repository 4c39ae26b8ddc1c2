import FlowModel
import OAuth
import Tables
import TablesClient
import Terminal

struct FoundTasks: Sendable {
    let items: [TodoItem]
    /// The total number of matching tasks, or `nil` if the number was not requested.
    let count: Int?
}

struct TaskList {
    private let found: FoundTasks
    private let columns: [String]

    init(_ found: FoundTasks, columns: [String]) {
        self.found = found
        self.columns = columns
    }

    /// The headings and rows to print, without default columns that are empty in all rows.
    var table: (headings: [String], rows: [[String]]) {
        let shown = cells.filter { column in
            !columns.isEmpty || found.items.contains { !column.cell($0).isEmpty }
        }
        return (shown.map(\.heading), found.items.map { item in shown.map { $0.cell(item) } })
    }

    private struct Column {
        let heading: String
        let cell: (TodoItem) -> String
    }

    private var cells: [Column] {
        guard !columns.isEmpty else { return usual }
        return columns.map { name in Column(heading: name.uppercased()) { Self.member(name, of: $0)?.cell ?? "" } }
    }

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

    /// Returns the item's member with the given name, ignoring case as the API does, or `nil`.
    private static func member(_ name: String, of item: TodoItem) -> JSONValue? {
        item.row.json.object?.first { $0.key.lowercased() == name.lowercased() }?.value
    }
}

extension JSONValue {
    /// The value for tables, with null as an empty string and strings without quotation marks.
    var cell: String { content ?? "" }

    /// The value for CSV files, with strings without quotation marks, or `nil` for null.
    var content: String? {
        switch self {
        case .null: nil
        case .string(let text): text
        case .bool, .int, .double, .array, .object: text
        }
    }
}
