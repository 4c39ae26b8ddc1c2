/// What a filter or an order is made of; conditions and values are one tree, since clients write either for the other.
public indirect enum QueryExpression: Hashable, Sendable {
    /// How two values are compared.
    public enum Comparison: String, CaseIterable, Sendable {
        /// Equal; with null, whether the other is null.
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

    /// What is calculated of two numbers.
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
    /// What a column holds.
    case column(String)
    /// What a function returns.
    case call(QueryFunction, [QueryExpression])
    /// What is calculated of two numbers.
    case arithmetic(Arithmetic, QueryExpression, QueryExpression)
    /// The number with its sign changed.
    case negate(QueryExpression)
    /// Whether two values compare so.
    case compare(Comparison, QueryExpression, QueryExpression)
    /// Whether all hold; two or more.
    case and([QueryExpression])
    /// Whether one holds; two or more.
    case or([QueryExpression])
    /// Whether it does not hold.
    case not(QueryExpression)
    /// Whether the value is one of these; one or more.
    case contained(QueryExpression, [QueryLiteral])
}
