/// An expression of a filter or an order; conditions and values are one tree, since clients write either for the other.
public indirect enum QueryExpression: Hashable, Sendable {
    /// A comparison of two values, as OData spells it.
    public enum Comparison: String, CaseIterable, Sendable {
        /// Equal; with null it tests the other for null.
        case equal = "eq"
        /// Not equal.
        case notEqual = "ne"
        /// Greater.
        case greater = "gt"
        /// Greater or equal.
        case greaterOrEqual = "ge"
        /// Less.
        case less = "lt"
        /// Less or equal.
        case lessOrEqual = "le"
    }

    /// A calculation with two numbers.
    public enum Arithmetic: String, CaseIterable, Sendable {
        /// The sum.
        case add
        /// The difference.
        case subtract = "sub"
        /// The product.
        case multiply = "mul"
        /// The quotient; of two whole numbers without its fraction.
        case divide = "div"
        /// The remainder, with the sign of the first.
        case modulo = "mod"
    }

    /// A value.
    case literal(QueryLiteral)
    /// The value of a column.
    case column(String)
    /// The result of a function.
    case call(QueryFunction, [QueryExpression])
    /// A calculation with two numbers.
    case arithmetic(Arithmetic, QueryExpression, QueryExpression)
    /// The number with its sign changed.
    case negate(QueryExpression)
    /// The comparison of two values.
    case compare(Comparison, QueryExpression, QueryExpression)
    /// The conjunction of two or more.
    case and([QueryExpression])
    /// The disjunction of two or more.
    case or([QueryExpression])
    /// The negation.
    case not(QueryExpression)
    /// The test for membership in a list of one or more.
    case contained(QueryExpression, [QueryLiteral])
}

/// The positions of a query's parts in its text; equal to all others, since they are no part of what is asked.
package struct SourcePositions: Hashable, Sendable {
    /// One position for each part, in the order in which the parts are visited: a node before its operands.
    package let positions: [Int]

    init(_ positions: [Int] = []) {
        self.positions = positions
    }

    /// The position of a part; nil unless the query was read from a text.
    package subscript(_ index: Int) -> Int? { positions.indices.contains(index) ? positions[index] : nil }

    package static func == (a: SourcePositions, b: SourcePositions) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
