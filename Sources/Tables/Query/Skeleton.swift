struct FilterParser {
    struct Node {
        var expression: QueryExpression
        var places: Places
    }
    init(_ text: String, option: String?, limits: QueryLimits) throws(QueryProblem) {}
    mutating func whole() throws(QueryProblem) -> Node { throw QueryProblem("Syntax error", at: 0) }
    mutating func order() throws(QueryProblem) -> [SortTerm] { throw QueryProblem("Syntax error", at: 0) }
}
struct ExpressionCheck {
    init(_ limits: QueryLimits) {}
    func check(_ root: QueryExpression) throws(QueryProblem) {}
}
struct ExpressionText {
    init(_ dialect: Query.Dialect) {}
    func text(_ root: QueryExpression) -> String { "" }
}
extension Filter {
    /// Reads a predicate.
    public init(
        predicate: String,
        arguments: [any PredicateArgument] = [],
        limits: QueryLimits = .standard
    )
        throws(QueryProblem)
    { throw QueryProblem("Syntax error", at: 0) }
}
extension Query {
    /// Reads the query of an address.
    public init(url query: String?, dialect: Dialect = .v2, limits: QueryLimits = .standard) throws(QueryProblem) {
        self.init()
    }
    /// The query of an address, percent-encoded; nil if there is nothing to ask.
    public func urlQuery(_ dialect: Dialect = .v2) -> String? { nil }
}
