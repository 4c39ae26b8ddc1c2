/// An expression in a filter or a sort order.
///
/// Conditions and values have the same type, because clients use a condition as a value and a value as a condition.
public indirect enum QueryExpression: Hashable, Sendable {
    /// The comparison operators, with OData's keywords as raw values.
    public enum Comparison: String, CaseIterable, Sendable {
        /// Whether both sides are equal, or, in a comparison with `null`, whether the other side is null.
        case equal = "eq"
        case notEqual = "ne"
        case greater = "gt"
        case greaterOrEqual = "ge"
        case less = "lt"
        case lessOrEqual = "le"
    }

    /// An arithmetic operation on two numbers.
    public enum Arithmetic: String, CaseIterable, Sendable {
        case add
        case subtract = "sub"
        case multiply = "mul"
        /// The quotient, without its fractional part if both numbers are whole.
        case divide = "div"
        /// The remainder, with the sign of the dividend.
        case modulo = "mod"
    }

    case literal(QueryLiteral)
    case column(String)
    case call(QueryFunction, [QueryExpression])
    case arithmetic(Arithmetic, QueryExpression, QueryExpression)
    case negate(QueryExpression)
    case compare(Comparison, QueryExpression, QueryExpression)
    /// The conjunction of two or more conditions.
    case and([QueryExpression])
    /// The disjunction of two or more conditions.
    case or([QueryExpression])
    case not(QueryExpression)
    /// Whether the value is in a list of one or more values.
    case contained(QueryExpression, [QueryLiteral])
}

/// The positions of an expression's nodes in the string from which the expression was parsed.
///
/// Any two `SourcePositions` are equal, so that positions do not matter when queries are compared.
package struct SourcePositions: Hashable, Sendable {
    /// One position for each node, in preorder (each node comes before its operands).
    package let positions: [Int]

    init(_ positions: [Int] = []) {
        self.positions = positions
    }

    /// Returns the position of the node at `index` in preorder, or `nil` if the expression was not parsed.
    package subscript(_ index: Int) -> Int? { positions.indices.contains(index) ? positions[index] : nil }

    package static func == (a: SourcePositions, b: SourcePositions) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
