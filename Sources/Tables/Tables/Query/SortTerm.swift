/// One key of an order.
public struct SortTerm: Hashable, Sendable {
    /// The value that rows are sorted by.
    public let expression: QueryExpression
    /// The largest comes first.
    public let isDescending: Bool
    /// The positions of the expression's nodes in the text.
    package let places: SourcePositions

    init(_ expression: QueryExpression, isDescending: Bool, places: SourcePositions) {
        self.expression = expression
        self.isDescending = isDescending
        self.places = places
    }

    /// A key.
    public init(_ expression: QueryExpression, isDescending: Bool = false) {
        self.init(expression, isDescending: isDescending, places: SourcePositions())
    }

    /// A column as key.
    public init(_ column: String, isDescending: Bool = false) {
        self.init(.column(column), isDescending: isDescending)
    }

    /// Reads an order in OData's grammar, such as `text,due desc`.
    ///
    /// - Parameters:
    ///   - text: The decoded value of `$orderby`.
    ///   - limits: The limits on its size.
    /// - Returns: The keys, the first first.
    /// - Throws: ``QueryProblem`` of option `$orderby` with the place.
    public static func parsing(_ text: String, limits: QueryLimits = .standard) throws(QueryProblem) -> [SortTerm] {
        var parser = try FilterParser(text, option: "$orderby", limits: limits)
        return try parser.order()
    }

    /// The key in OData's grammar.
    public var text: String { text(.v2) }

    func text(_ dialect: Query.Dialect) -> String {
        ExpressionText(dialect: dialect).text(expression) + (isDescending ? " desc" : "")
    }
}
