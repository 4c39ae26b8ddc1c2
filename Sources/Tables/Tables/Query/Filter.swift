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
        try ExpressionCheck(limits).check(root)
        self.init(root: root, places: SourcePositions())
    }

    /// The condition in OData's grammar; reading it gives an equal filter.
    public var text: String { ExpressionText(.v2).text(root) }

    /// The conjunction of both.
    public func and(_ other: Filter) -> Filter {
        Filter(root: .and(Self.operands(root) + Self.operands(other.root)), places: SourcePositions())
    }

    private static func operands(_ root: QueryExpression) -> [QueryExpression] {
        if case .and(let operands) = root { operands } else { [root] }
    }
}
