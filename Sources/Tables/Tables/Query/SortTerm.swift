/// One term of a sort order.
public struct SortTerm: Hashable, Sendable {
    /// The value to sort by.
    public let expression: QueryExpression
    /// Whether the largest value comes first.
    public let isDescending: Bool
    package let places: SourcePositions

    init(_ expression: QueryExpression, isDescending: Bool, places: SourcePositions) {
        self.expression = expression
        self.isDescending = isDescending
        self.places = places
    }

    /// Creates a term that sorts by an expression.
    public init(_ expression: QueryExpression, isDescending: Bool = false) {
        self.init(expression, isDescending: isDescending, places: SourcePositions())
    }

    /// Creates a term that sorts by a column.
    public init(_ column: String, isDescending: Bool = false) {
        self.init(.column(column), isDescending: isDescending)
    }

    /// Parses the decoded value of `$orderby` in OData's grammar, such as `text,due desc`.
    ///
    /// - Throws: ``QueryProblem`` with the option `$orderby` and the position of the error.
    public static func parsing(_ text: String, limits: QueryLimits = .standard) throws(QueryProblem) -> [SortTerm] {
        var parser = try FilterParser(text, option: "$orderby", limits: limits)
        return try parser.order()
    }

    /// The term in OData's grammar, such as `due desc`.
    public var text: String { text(.v2) }

    func text(_ dialect: Query.Dialect) -> String {
        ExpressionText(dialect: dialect).text(expression) + (isDescending ? " desc" : "")
    }
}
