/// A condition on rows (OData `$filter`).
///
/// A row matches only if the condition is true. A comparison or function call with a null value is neither true nor
/// false, and neither is its negation. The exceptions are comparisons with the literal `null`, such as `due eq null`
/// and `null ne due`.
public struct Filter: Hashable, Sendable {
    /// The root of the condition's tree, which is within the limits passed to the initializer.
    public let root: QueryExpression
    package let places: SourcePositions

    init(root: QueryExpression, places: SourcePositions) {
        self.root = root
        self.places = places
    }

    /// Parses the decoded value of `$filter`, a condition in OData's grammar.
    ///
    /// - Throws: ``QueryProblem`` with the option `$filter` and the position.
    public init(parsing text: String, limits: QueryLimits = .standard) throws(QueryProblem) {
        var parser = try FilterParser(text, option: "$filter", limits: limits)
        let node = try parser.whole()
        self.init(root: node.expression, places: node.places)
    }

    /// Creates a filter from a condition that a program built.
    ///
    /// - Throws: ``QueryProblem`` if the condition exceeds the limits or cannot be expressed in OData's grammar, for
    ///   example because of an invalid name, a missing argument, an infinite number, or a date outside the years 1 to
    ///   9999.
    public init(_ root: QueryExpression, limits: QueryLimits = .standard) throws(QueryProblem) {
        try ExpressionCheck(limits: limits).check(root)
        self.init(root: root, places: SourcePositions())
    }

    /// The condition as text in OData's grammar, from which parsing creates an equal filter.
    public var text: String { ExpressionText(dialect: .v2).text(root) }

    /// Returns a filter for the rows that match both this filter and `other`.
    public func and(_ other: Filter) -> Filter {
        Filter(root: .and(Self.operands(root) + Self.operands(other.root)), places: SourcePositions())
    }

    private static func operands(_ root: QueryExpression) -> [QueryExpression] {
        if case .and(let operands) = root { operands } else { [root] }
    }
}

extension Filter {
    /// Parses a predicate in the format of `NSPredicate`.
    ///
    /// The parser supports `= == != <> < <= > >=`, `AND OR NOT && || !`, `IN {1, 2}`, `BETWEEN {1, 5}`,
    /// `CONTAINS BEGINSWITH ENDSWITH` (each with `[c]` to ignore case), `YES NO TRUE FALSE NULL NIL`,
    /// `TRUEPREDICATE FALSEPREDICATE`, `+ - * /`, and strings in either kind of quotation marks, but not `MATCHES`,
    /// `LIKE` or `ANY`. Keywords are case-insensitive. A name after `#` is a column. The `arguments` replace the
    /// placeholders `%@`, `%d`, `%ld` and `%f` for values and `%K` for a column name in order, and are never parsed.
    ///
    /// - Throws: ``QueryProblem`` with code -1400 and the position in `predicate`.
    public init(
        predicate: String,
        arguments: [any PredicateArgument] = [],
        limits: QueryLimits = .standard
    ) throws(QueryProblem) {
        var parser = try PredicateParser(predicate, arguments.map(\.predicateValue), limits: limits)
        let node = try parser.whole()
        self.init(root: node.expression, places: node.places)
    }
}
