extension TableValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// A text as written in the source.
    public init(stringLiteral value: String) { self = .string(value) }

    /// A whole number as written in the source.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }

    /// A number as written in the source.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// A truth value as written in the source.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// No value.
    public init(nilLiteral: ()) { self = .null }
}
