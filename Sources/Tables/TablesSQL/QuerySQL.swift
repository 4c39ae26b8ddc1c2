import Spelling
public import Tables

/// Translates the queries of one table into SQL.
///
/// Names of columns have no case. Texts are compared by their code points; only an order looks at them as people do.
/// Types are looked at here: a text is never compared with a number, though a text that is a date may stand for one, and 0
/// and 1 for a truth value.
public struct QuerySQL: Sendable {
    private let columns: ColumnNames

    /// The questions to a table of these columns.
    ///
    /// - Parameters:
    ///   - columns: Every column that a query may name, system columns as well; one of them is `id`.
    ///   - mayGet: True if a write may yet add the column of that name, which is null in every row until then.
    public init(columns: [SQLColumn], mayGet: @escaping @Sendable (String) -> Bool = { _ in false }) {
        self.columns = ColumnNames(columns, mayGet: mayGet)
    }

    /// A condition for `WHERE`, in parentheses.
    ///
    /// - Throws: ``QueryProblem`` of option `$filter` with the place: for a column that the table does not have, for values
    ///   that do not go together, and for what is nested deeper than a database reads.
    public func condition(_ filter: Filter) throws(QueryProblem) -> SQLFragment {
        var writer = ExpressionSQL(columns, filter.places, option: "$filter")
        return try writer.condition(filter.root).sql
    }

    /// The keys for `ORDER BY`, of which `id` is always the last, so that the order is total.
    ///
    /// Texts go by their ``SortKey`` and then by their code points; nulls are where the database puts them.
    ///
    /// - Throws: ``QueryProblem`` of option `$orderby`, as ``condition(_:)``.
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
                    // A column without keys, such as an id, goes by its code points.
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

    /// The columns that a query wants, each once and as declared, without those that no row has made yet.
    ///
    /// - Throws: ``QueryProblem`` of option `$select` for a column that the table does not have.
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

/// The columns of a table by their names, which have no case.
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

    /// The column, nil if no row has made it yet, or a problem that names the nearest.
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

/// A column that queries can name, and its name in the database.
public struct SQLColumn: Hashable, Sendable {
    /// The name as declared; queries may spell it in any case.
    public let name: String
    /// Its name in SQL, quoted, or any expression.
    public let sql: String
    /// The type of its values, which the database has as text; real or integer; 0 and 1; milliseconds since 1970 UTC.
    public let type: ColumnType
    /// The name in SQL, quoted, of the column that holds ``SortKey`` of this one's text; nil sorts by code points.
    public let sortKey: String?

    /// A column.
    public init(name: String, sql: String, type: ColumnType, sortKey: String? = nil) {
        self.name = name
        self.sql = sql
        self.type = type
        self.sortKey = sortKey
    }
}
