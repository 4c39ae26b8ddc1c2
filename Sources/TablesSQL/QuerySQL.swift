public import Tables

/// Says in SQL what a query asks of one table.
public struct QuerySQL: Sendable {
    private let columns: [SQLColumn]
    private let byName: [String: SQLColumn]

    /// What can be asked of a table.
    ///
    /// - Parameter columns: Every column that a query may name, system columns as well; one of them is `id`.
    public init(columns: [SQLColumn]) {
        self.columns = columns
        byName = Dictionary(columns.map { ($0.name.lowercased(), $0) }) { first, _ in first }
    }

    /// A condition for `WHERE`.
    ///
    /// - Throws: ``QueryProblem`` of option `$filter` for a column that the table does not have, and for values that do not
    ///   go together.
    public func condition(_ filter: Filter) throws(QueryProblem) -> SQLFragment {
        SQLFragment("1 = 1")
    }

    /// The keys for `ORDER BY`; `id` is always the last, so that the order is total.
    ///
    /// - Throws: ``QueryProblem`` of option `$orderby`.
    public func order(_ terms: [SortTerm]) throws(QueryProblem) -> SQLFragment {
        SQLFragment("id")
    }

    /// The columns that a query wants, as declared; empty for all.
    ///
    /// - Throws: ``QueryProblem`` of option `$select`.
    public func selection(_ query: Query) throws(QueryProblem) -> [SQLColumn] {
        []
    }
}
