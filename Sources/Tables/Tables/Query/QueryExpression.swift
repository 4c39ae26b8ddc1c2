/// An expression in a filter or a sort order.
///
/// Conditions and values have the same type, because clients use them interchangeably.
public indirect enum QueryExpression: Hashable, Sendable {
    /// A comparison of two values, with OData's keyword.
    public enum Comparison: String, CaseIterable, Sendable {
        /// Equal.
        ///
        /// A comparison with null tests whether the other side is null.
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

    /// An arithmetic operation on two numbers.
    public enum Arithmetic: String, CaseIterable, Sendable {
        /// The sum of the operands.
        case add
        /// The difference of the operands.
        case subtract = "sub"
        /// The product of the operands.
        case multiply = "mul"
        /// The quotient. For two whole numbers, its fraction is discarded.
        case divide = "div"
        /// The remainder, with the sign of the dividend.
        case modulo = "mod"
    }

    /// A constant value.
    case literal(QueryLiteral)
    /// The value of a column.
    case column(String)
    /// The result of a function call.
    case call(QueryFunction, [QueryExpression])
    /// The result of an arithmetic operation on two numbers.
    case arithmetic(Arithmetic, QueryExpression, QueryExpression)
    /// The negated number.
    case negate(QueryExpression)
    /// A comparison of two values.
    case compare(Comparison, QueryExpression, QueryExpression)
    /// The conjunction of two or more conditions.
    case and([QueryExpression])
    /// The disjunction of two or more conditions.
    case or([QueryExpression])
    /// The negation of a condition.
    case not(QueryExpression)
    /// A test for whether a list of one or more values contains the value.
    case contained(QueryExpression, [QueryLiteral])
}

/// The positions of a query's parts in the string that it was parsed from.
///
/// All instances are equal, since positions do not affect the result of a query.
package struct SourcePositions: Hashable, Sendable {
    /// One position for each part, in preorder: a node before its operands.
    package let positions: [Int]

    init(_ positions: [Int] = []) {
        self.positions = positions
    }

    /// Returns the position of a part, or `nil` if the query was not parsed from a string.
    package subscript(_ index: Int) -> Int? { positions.indices.contains(index) ? positions[index] : nil }

    package static func == (a: SourcePositions, b: SourcePositions) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
