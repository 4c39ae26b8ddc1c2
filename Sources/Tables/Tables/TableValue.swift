/// The value of one cell.
public enum TableValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number, which is exact up to 2^53 if it is a whole number.
    case number(Double)
    case string(String)
    /// A date, in milliseconds since 1970 UTC.
    case date(Int64)

    /// The string, or `nil` if the value is not a string.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The length of the string in bytes, or 0 if the value is not a string.
    public var length: Int { string?.utf8.count ?? 0 }

    /// The Boolean, or `nil` if the value is not a Boolean.
    public var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }
}

extension TableValue {
    /// Compares strings by their UTF-8 bytes, so that a change of the Unicode normalization is a change.
    public static func == (a: TableValue, b: TableValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.date(let a), .date(let b)): a == b
        case (.null, _), (.boolean, _), (.number, _), (.string, _), (.date, _): false
        }
    }

    /// Hashes strings by their UTF-8 bytes.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let text): text.hashBytes(into: &hasher)
        case .date(let value): hasher.combine(value)
        }
    }
}

extension String {
    /// Whether the UTF-8 bytes are the same, which they are not for strings that are only canonically equivalent.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension TableValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Creates a string from a string literal.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }

    /// Creates a number from a floating-point literal.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// Creates a Boolean from a Boolean literal.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// Creates a null value.
    public init(nilLiteral: ()) { self = .null }
}

/// The type of a column's values.
public enum ColumnType: String, CaseIterable, Sendable {
    case string
    case number
    case boolean
    /// A date and time, with a precision of one millisecond.
    case date
}

extension ColumnType {
    /// Creates the type of a new column from its first value, or returns `nil` for null, which has no type.
    ///
    /// The type is also `date` if the value is a string with a date and time in UTC, such as `2015-01-31T12:00:00Z`.
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
