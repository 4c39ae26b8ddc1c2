import OAuth
import Tables
import TablesClient
import Terminal

/// The tasks that a query found.
struct FoundTasks: Sendable {
    /// The tasks, in the order of the query.
    let items: [TodoItem]
    /// The number of matching tasks in all; nil if it was not requested.
    let count: Int?
}

/// The table that `list` prints: the usual cells, or the selected columns.
struct TaskList {
    private let found: FoundTasks
    private let columns: [String]

    init(_ found: FoundTasks, columns: [String]) {
        self.found = found
        self.columns = columns
    }

    /// The headings and rows to print: of the usual columns those in which something stands.
    var table: (headings: [String], rows: [[String]]) {
        let rows = rows
        guard columns.isEmpty else { return (headings, rows) }
        let kept = headings.indices.filter { index in rows.contains { !$0[index].isEmpty } }
        return (kept.map { headings[$0] }, rows.map { row in kept.map { row[$0] } })
    }

    /// The headings of the cells.
    var headings: [String] {
        guard columns.isEmpty else { return columns.map { $0.uppercased() } }
        return ["ID"] + [TasksText.state, .dueHeading, .priorityHeading, .textColumn].map(\.text)
    }

    /// The cells, a line a task.
    var rows: [[String]] {
        let length = UniquePrefix.length(of: found.items.map(\.id))
        return found.items.map { item in
            columns.isEmpty ? item.cells(idLength: length) : columns.map { Self.cell(Self.member($0, of: item)) }
        }
    }

    /// The list, or an object with it and the count.
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

    /// The member of that name in any case, as the API compares names.
    private static func member(_ name: String, of item: TodoItem) -> JSONValue? {
        item.row.json.object?.first { $0.key.lowercased() == name.lowercased() }?.value
    }

    private static func cell(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null?: ""
        case .string(let text)?: text
        case let value?: value.text
        }
    }
}
