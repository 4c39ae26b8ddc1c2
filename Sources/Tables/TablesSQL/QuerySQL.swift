import Spelling
public import Tables

/// Translates queries on one table into SQL.
///
/// Column names are case-insensitive. Strings are compared by code points and sorted in linguistic order. The
/// translator checks types: a string is never compared with a number, but a string in date format can represent a date,
/// and 0 and 1 can represent Booleans.
public struct QuerySQL: Sendable {
    private let columns: ColumnNames

    /// Creates a translator for a table with the given columns.
    ///
    /// `columns` must include `id`. Queries treat a column that a write can still add (`mayGet`) as null in every row.
    public init(columns: [SQLColumn], mayGet: @escaping @Sendable (String) -> Bool = { _ in false }) {
        self.columns = ColumnNames(columns, mayGet: mayGet)
    }

    /// Translates a filter into a parenthesized condition for `WHERE`.
    ///
    /// - Throws: ``QueryProblem`` with the option `$filter` and the position of an unknown column, of incompatible
    ///   values, or of an expression that is too long or too deeply nested for a database.
    public func condition(_ filter: Filter) throws(QueryProblem) -> SQLFragment {
        var writer = ExpressionSQL(columns, filter.places, option: "$filter")
        return try writer.condition(filter.root).sql
    }

    /// Translates `terms` into the keys for `ORDER BY`.
    ///
    /// The last key is always `id`, so the order is total. Strings are ordered by their ``SortKey``, then by code
    /// points. The database decides the position of nulls.
    ///
    /// - Throws: ``QueryProblem`` with the option `$orderby`, in the same cases as ``condition(_:)``.
    public func order(_ terms: [SortTerm]) throws(QueryProblem) -> SQLFragment {
        var keys: [SQLFragment] = []
        var isTotal = false
        for term in terms {
            var writer = ExpressionSQL(columns, term.places, option: "$orderby")
            let value = try writer.value(term.expression)
            if case .literal = term.expression { continue }
            if case .column = term.expression, value.kind == .null { continue }
            if isTotal { continue }
            let direction = term.isDescending ? " DESC" : ""
            if value.kind == .text {
                if let key = sortKey(of: term.expression) {
                    keys.append(SQLFragment(key + direction))
                } else if case .column = term.expression {
                    // A column without sort keys, such as an id, is ordered by code points.
                } else {
                    keys.append("\(SQLFunction.sortKey)(" + value.sql + ")" + direction)
                }
            }
            keys.append(value.sql + direction)
            if case .column(let name) = term.expression { isTotal = name.lowercased() == "id" }
        }
        if !isTotal, let id = columns["id"] { keys.append(SQLFragment(id.sql)) }
        return .joined(keys, by: ", ")
    }

    /// Returns the selected columns with their declared names and without duplicates.
    ///
    /// Columns that no write has added yet are omitted.
    ///
    /// - Throws: ``QueryProblem`` with the option `$select` for an unknown column.
    public func selection(_ query: Query) throws(QueryProblem) -> [SQLColumn] {
        var selected: [SQLColumn] = []
        for (index, name) in query.selection.enumerated() {
            guard let column = try columns.find(name, at: query.selectionPlaces[index], option: "$select") else {
                continue
            }
            if !selected.contains(column) { selected.append(column) }
        }
        return selected
    }

    private func sortKey(of expression: QueryExpression) -> String? {
        if case .column(let name) = expression { columns[name]?.sortKey } else { nil }
    }
}

struct ColumnNames: Sendable {
    private let names: [String]
    private let columns: [String: SQLColumn]
    private let mayGet: @Sendable (String) -> Bool

    init(_ columns: [SQLColumn], mayGet: @escaping @Sendable (String) -> Bool) {
        names = columns.map(\.name)
        self.columns = Dictionary(columns.map { ($0.name.lowercased(), $0) }) { first, _ in first }
        self.mayGet = mayGet
    }

    subscript(_ name: String) -> SQLColumn? { columns[name.lowercased()] }

    /// Returns the column, or `nil` if it does not exist yet but a write can add it, and throws for any other name.
    func find(_ name: String, at position: Int?, option: String) throws(QueryProblem) -> SQLColumn? {
        if let column = self[name] { return column }
        if mayGet(name) { return nil }
        let reason = QueryProblem.Reason.unknownColumn(
            String(name.prefix(64)),
            nearest: NearestName.of(name, among: names)
        )
        throw QueryProblem(reason, at: position, option: option)
    }
}

/// A column that queries can refer to, and its name in the database.
public struct SQLColumn: Hashable, Sendable {
    /// The declared name, which is case-insensitive in queries.
    public let name: String
    /// The quoted column name in SQL, or an SQL expression.
    public let sql: String
    /// The type of the values.
    ///
    /// Booleans are stored as 0 and 1, and dates as milliseconds since 1970 UTC.
    public let type: ColumnType
    /// The quoted SQL name of the column that stores the ``SortKey`` of each value, or `nil` to sort by code points.
    public let sortKey: String?

    /// Creates a column.
    public init(name: String, sql: String, type: ColumnType, sortKey: String? = nil) {
        self.name = name
        self.sql = sql
        self.type = type
        self.sortKey = sortKey
    }
}
