/// The value of one cell.
public enum TableValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// A truth value.
    case boolean(Bool)
    /// A number; whole numbers are exact up to 2^53, as in every client.
    case number(Double)
    /// A text.
    case string(String)
    /// A point in time, in milliseconds since 1970 UTC.
    case date(Int64)

    /// The text, if this is one.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// Bytes of a text; 0 for everything else.
    public var length: Int { string?.utf8.count ?? 0 }

    /// The truth value, if this is one.
    public var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }
}

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

/// The type of a column's values.
public enum ColumnType: String, CaseIterable, Sendable {
    /// A text.
    case string
    /// A number.
    case number
    /// A truth value.
    case boolean
    /// A point in time with milliseconds.
    case date
}

extension ColumnType {
    /// The type of a column that a row makes with `value`; nil for null, which has none.
    ///
    /// A text is a date if it is one with a time of day in UTC, as every client of the protocol writes dates.
    public init?(of value: TableValue) {
        switch value {
        case .null: return nil
        case .boolean: self = .boolean
        case .number: self = .number
        case .date: self = .date
        case .string(let text):
            let isDate = text.hasSuffix("Z") && text.contains("T") && TableDate.milliseconds(text) != nil
            self = isDate ? .date : .string
        }
    }
}
