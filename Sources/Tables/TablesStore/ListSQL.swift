import Tables
import TablesSQL
import TablesSQLite

/// The statements of one list.
struct ListSQL {
    private let sql: TableSQL
    private let owner: String
    private let query: Query
    private let condition: SQLFragment?

    /// - Throws: `QueryProblem` for what the table cannot be asked.
    init(_ sql: TableSQL, owner: String, query: Query) throws(QueryProblem) {
        self.sql = sql
        self.owner = owner
        self.query = query
        condition = if let filter = query.filter { try sql.query.condition(filter) } else { nil }
    }

    /// Rows of the page at most: as many as are asked for, else a page of the table's.
    var limit: Int { min(query.top ?? sql.definition.pageSize, sql.definition.maxTop) }

    /// The number of all rows is asked for.
    var wantsCount: Bool { query.includesTotalCount }

    /// The rows of a page; asks for one row more than `limit` so that it shows whether there is one.
    func rows(limit: Int) throws(QueryProblem) -> SQLFragment {
        let order = query.order.isEmpty ? SQLFragment(defaultOrder) : try sql.query.order(query.order)
        var fragment = SQLFragment(sql.select) + matching + " ORDER BY " + order + " LIMIT "
        fragment.append(SQLFragment(.integer(Int64(limit) + 1)))
        if let skip = query.skip, skip > 0 { fragment.append(" OFFSET " + SQLFragment(.integer(Int64(skip)))) }
        return fragment
    }

    /// The number of all rows that match.
    var count: SQLFragment { SQLFragment(sql.count) + matching }

    /// The row of that id, if it matches.
    func row(_ id: RowID) -> SQLFragment {
        SQLFragment(sql.select) + matching + " AND id = " + SQLFragment(id.sqlValue)
    }

    /// The members of a row's JSON object.
    func format() throws(QueryProblem) -> RowFormat {
        if !query.selection.isEmpty {
            return RowFormat(sql.definition, selecting: try sql.query.selection(query).map(\.name))
        }
        let isV1 = sql.definition.compatibility == .v1
        return RowFormat(sql.definition, shown: isV1 ? query.systemProperties?.names : nil)
    }

    private var matching: SQLFragment {
        var fragment = SQLFragment(.text(owner))
        if !query.includesDeleted { fragment.append(" AND deleted = 0") }
        if let condition { fragment.append(" AND (" + condition + ")") }
        return fragment
    }

    /// Oldest first; who follows a table by time or by id gets that order, in which an index stands ready.
    private var defaultOrder: String {
        guard let filter = query.filter else { return "createdAt, id" }
        let prefix = sql.definition.compatibility == .v1 ? "__" : ""
        if filter.lowerBound(of: "\(prefix)updatedAt") != nil { return "updatedAt, id" }
        return filter.lowerBound(of: "id") == nil ? "createdAt, id" : "id"
    }

    /// The time since which a client follows the table, if it does: it needs every deletion after that.
    var followsSince: Int64? {
        guard query.includesDeleted else { return nil }
        let name = sql.definition.compatibility == .v1 ? "__updatedAt" : "updatedAt"
        guard case .date(let time)? = query.filter?.lowerBound(of: name), time > 0 else { return nil }
        return time
    }
}

extension Filter {
    /// The greatest value that every row's column is greater than or equal to, as far as the condition says so outright.
    func lowerBound(of column: String) -> QueryLiteral? {
        Self.bounds(of: column.lowercased(), in: root).max { a, b in
            guard case (.date(let a), .date(let b)) = (a, b) else { return false }
            return a < b
        }
    }

    private static func bounds(of column: String, in expression: QueryExpression) -> [QueryLiteral] {
        switch expression {
        case .and(let all): return all.flatMap { bounds(of: column, in: $0) }
        case .compare(let comparison, .column(let name), .literal(let value))
        where [.greater, .greaterOrEqual, .equal].contains(comparison) && name.lowercased() == column:
            return [value.asDate]
        case .compare(let comparison, .literal(let value), .column(let name))
        where [.less, .lessOrEqual, .equal].contains(comparison) && name.lowercased() == column:
            return [value.asDate]
        default: return []
        }
    }
}

extension QueryLiteral {
    /// A text that is a date stands for one where it is compared with one.
    fileprivate var asDate: QueryLiteral {
        guard case .string(let text) = self, let time = TableDate.milliseconds(text) else { return self }
        return .date(time)
    }
}
