import GRDB
import GRDBSQLite
import Tables
public import TablesClient
import TablesSQL
import TablesSQLite

/// Runs queries over rows in memory, with the same SQL conditions and sort orders as the server.
struct RowSelection {
    let declaration: TableDeclaration

    /// Returns the rows that match a query, in the query's order or, if it has none, oldest first.
    func rows(_ query: Query, of rows: [RemoteRow]) throws -> LocalPage {
        let found = try matching(query, in: rows)
        let isWhole = query.skip == nil && query.top == nil
        let page = isWhole ? found : Array(found.dropFirst(query.skip ?? 0).prefix(query.top ?? .max))
        return LocalPage(rows: page, totalCount: query.includesTotalCount ? found.count : nil)
    }

    private func matching(_ query: Query, in rows: [RemoteRow]) throws -> [RemoteRow] {
        if query.order.isEmpty {
            guard let filter = query.filter else { return Self.oldestFirst(rows) }
            if let condition = DirectCondition(filter, of: declaration) {
                return Self.oldestFirst(rows.filter(condition.matches))
            }
        }
        let columns = columns(of: query)
        let sql = QuerySQL(columns: columns.map(\.sql))
        let condition = try query.filter.map { filter throws(QueryProblem) in try sql.condition(filter) }
        let order =
            try query.order.isEmpty
            ? SQLFragment("createdAt IS NULL, createdAt, id") : sql.order(query.order)
        var statement = SQLFragment("SELECT place FROM selection")
        if let condition { statement = statement + " WHERE " + condition }
        statement = statement + " ORDER BY " + order
        let places = try Self.places(statement, columns, rows)
        return places.map { rows[$0] }
    }

    private static func oldestFirst(_ rows: [RemoteRow]) -> [RemoteRow] {
        rows.sorted { ($0.createdAt ?? .max, $0.id) < ($1.createdAt ?? .max, $1.id) }
    }

    private static func places(_ statement: SQLFragment, _ columns: [Column], _ rows: [RemoteRow]) throws -> [Int] {
        let queue = try DatabaseQueue()
        return try queue.write { db in
            try SQLiteFunctions.add(db)
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            let names = columns.flatMap(\.names)
            try db.execute(sql: "CREATE TABLE selection (place INTEGER, \(names.joined(separator: ", ")))")
            let marks = (0...names.count).map { "$\($0 + 1)" }.joined(separator: ", ")
            let insert = "INSERT INTO selection VALUES (\(marks))"
            for (place, row) in rows.enumerated() {
                let values = columns.flatMap { $0.values(row) }
                try RawStatement(insert, [.integer(Int64(place))] + values).run(db)
            }
            var places: [Int] = []
            try RawStatement(query: statement, shapes: StatementShapes()).run(db) {
                places.append(Int(sqlite3_column_int64($0, 0)))
            }
            return places
        }
    }

    private func columns(of query: Query) -> [Column] {
        var named: Set<String> = ["id", "createdat"]
        if let filter = query.filter { filter.root.addColumns(to: &named) }
        for term in query.order { term.expression.addColumns(to: &named) }
        let sorted = Set(
            query.order.compactMap { term in
                if case .column(let name) = term.expression { name.lowercased() } else { nil }
            }
        )
        let system = [
            Column("id", .string) { .text($0.id.text) },
            Column("createdAt", .date) { $0.createdAt.map { .integer($0) } ?? .null },
            Column("updatedAt", .date) { $0.updatedAt.map { .integer($0) } ?? .null },
            Column("version", .string) { $0.version.map { .text($0.description) } ?? .null },
            Column("deleted", .boolean) { .integer($0.isDeleted ? 1 : 0) },
        ]
        let own = declaration.columns.map { column in
            Column(
                column.name,
                column.type,
                isSorted: column.type == .string && sorted.contains(column.name.lowercased())
            ) { $0.values[column.name]?.sqlValue ?? .null }
        }
        // If a name is unknown, all columns are included, so the error message can suggest the most similar name.
        let all = system + own
        let isWhole = !named.isSubset(of: all.map { $0.sql.name.lowercased() })
        return isWhole ? all : all.filter { named.contains($0.sql.name.lowercased()) }
    }

    private struct Column {
        let sql: SQLColumn
        let value: (RemoteRow) -> SQLValue

        init(_ name: String, _ type: ColumnType, isSorted: Bool = false, value: @escaping (RemoteRow) -> SQLValue) {
            let quoted = TableDeclaration.systemColumns.contains(name.lowercased()) ? name : "\"c_\(name)\""
            sql = SQLColumn(name: name, sql: quoted, type: type, sortKey: isSorted ? "\"k_\(name)\"" : nil)
            self.value = value
        }

        var names: [String] { [sql.sql] + (sql.sortKey.map { [$0] } ?? []) }

        func values(_ row: RemoteRow) -> [SQLValue] {
            let value = value(row)
            guard sql.sortKey != nil else { return [value] }
            if case .text(let text) = value { return [value, .text(SortKey.of(text))] }
            return [value, .null]
        }
    }
}

extension QueryExpression {
    fileprivate func addColumns(to names: inout Set<String>) {
        switch self {
        case .literal: break
        case .column(let name): names.insert(name.lowercased())
        case .call(_, let operands), .and(let operands), .or(let operands):
            for operand in operands { operand.addColumns(to: &names) }
        case .negate(let operand), .not(let operand), .contained(let operand, _): operand.addColumns(to: &names)
        case .arithmetic(_, let left, let right), .compare(_, let left, let right):
            left.addColumns(to: &names)
            right.addColumns(to: &names)
        }
    }
}

/// The result of a query in the local store.
public struct LocalPage: Hashable, Sendable {
    /// The rows, in the order of the query.
    public let rows: [RemoteRow]
    /// The total number of matching rows, regardless of skip and top, or `nil` if the query did not request it.
    public let totalCount: Int?
}
