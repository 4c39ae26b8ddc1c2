/// A condition of rows (OData `$filter`).
///
/// A row matches if the condition is true. With null it is neither true nor false, and so is its opposite, except that
/// `eq null` and `ne null`, on either side, say whether there is a value.
public struct Filter: Hashable, Sendable {
    /// The condition; within the limits that it was made with.
    public let root: QueryExpression
    /// The positions of its nodes in the text.
    package let places: SourcePositions

    init(root: QueryExpression, places: SourcePositions) {
        self.root = root
        self.places = places
    }

    /// Reads a condition in OData's grammar.
    ///
    /// - Parameters:
    ///   - text: The decoded value of `$filter`.
    ///   - limits: The limits on its size.
    /// - Throws: ``QueryProblem`` of option `$filter` with the place.
    public init(parsing text: String, limits: QueryLimits = .standard) throws(QueryProblem) {
        var parser = try FilterParser(text, option: "$filter", limits: limits)
        let node = try parser.whole()
        self.init(root: node.expression, places: node.places)
    }

    /// A condition that a program put together.
    ///
    /// - Parameters:
    ///   - root: The condition.
    ///   - limits: The limits on its size.
    /// - Throws: ``QueryProblem`` if it is larger than the limits or could not be written down: a name that is none, a
    ///   number that is not finite, a date outside the years 1 to 9999, a function with too few arguments.
    public init(_ root: QueryExpression, limits: QueryLimits = .standard) throws(QueryProblem) {
        try ExpressionCheck(limits: limits).check(root)
        self.init(root: root, places: SourcePositions())
    }

    /// The condition in OData's grammar; reading it gives an equal filter.
    public var text: String { ExpressionText(dialect: .v2).text(root) }

    /// The conjunction of both.
    public func and(_ other: Filter) -> Filter {
        Filter(root: .and(Self.operands(root) + Self.operands(other.root)), places: SourcePositions())
    }

    private static func operands(_ root: QueryExpression) -> [QueryExpression] {
        if case .and(let operands) = root { operands } else { [root] }
    }
}

extension Filter {
    /// Reads a predicate as `NSPredicate` writes it.
    ///
    /// `= == != <> < <= > >=`, `AND OR NOT && || !`, `IN {1, 2}`, `BETWEEN {1, 5}`, `CONTAINS BEGINSWITH ENDSWITH`, each
    /// with `[c]` to ignore case, `YES NO TRUE FALSE NULL NIL`, `TRUEPREDICATE FALSEPREDICATE`, `+ - * /`, texts in
    /// either kind of quotation marks. Words have no case; `#name` is a column whatever its name. `MATCHES`, `LIKE` and
    /// what looks into other rows is refused.
    ///
    /// - Parameters:
    ///   - predicate: The text.
    ///   - arguments: The values for `%@`, `%d`, `%ld`, `%f` and, as a column name, `%K`, in order. They are values and
    ///     never become part of the text.
    ///   - limits: The limits on its size.
    /// - Throws: ``QueryProblem`` with code -1400 and the place in `predicate`.
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
