/// A condition on rows (OData `$filter`).
///
/// A row matches if the condition is true. A condition on null is neither true nor false, and neither is its negation.
/// The exceptions are `eq null` and `ne null`, with null on either side, which test whether there is a value.
public struct Filter: Hashable, Sendable {
    /// The root of the condition's tree.
    ///
    /// It is within the limits passed to the initializer.
    public let root: QueryExpression
    /// The positions of the condition's nodes in the parsed string.
    package let places: SourcePositions

    init(root: QueryExpression, places: SourcePositions) {
        self.root = root
        self.places = places
    }

    /// Parses a condition in OData's grammar.
    ///
    /// - Parameters:
    ///   - text: The decoded value of `$filter`.
    ///   - limits: The limits on the size of the expression.
    /// - Throws: ``QueryProblem`` with the option `$filter` and the position.
    public init(parsing text: String, limits: QueryLimits = .standard) throws(QueryProblem) {
        var parser = try FilterParser(text, option: "$filter", limits: limits)
        let node = try parser.whole()
        self.init(root: node.expression, places: node.places)
    }

    /// Creates a filter from a condition that a program built.
    ///
    /// - Parameters:
    ///   - root: The condition.
    ///   - limits: The limits on the size of the expression.
    /// - Throws: ``QueryProblem`` if the condition exceeds the limits or cannot be written: an invalid name, a number
    ///   that is not finite, a date outside the years 1 to 9999, or a function with too few arguments.
    public init(_ root: QueryExpression, limits: QueryLimits = .standard) throws(QueryProblem) {
        try ExpressionCheck(limits: limits).check(root)
        self.init(root: root, places: SourcePositions())
    }

    /// The condition in OData's grammar.
    ///
    /// Parsing it gives an equal filter.
    public var text: String { ExpressionText(dialect: .v2).text(root) }

    /// Returns a filter that matches the rows that match both filters.
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
    /// It supports `= == != <> < <= > >=`, `AND OR NOT && || !`, `IN {1, 2}`, `BETWEEN {1, 5}`, `CONTAINS BEGINSWITH
    /// ENDSWITH` (each with `[c]` to ignore case), `YES NO TRUE FALSE NULL NIL`, `TRUEPREDICATE FALSEPREDICATE`, `+ - *
    /// /`, and strings in either kind of quotation marks. Keywords are case-insensitive. `#name` is always a column.
    /// `MATCHES`, `LIKE` and operators on other rows are rejected.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - arguments: The values for `%@`, `%d`, `%ld`, `%f` and, as a column name, `%K`, in order. They never become
    ///     part of the text.
    ///   - limits: The limits on the size of the expression.
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
