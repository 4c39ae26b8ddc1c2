/// A constant value in a query.
public enum QueryLiteral: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A finite floating-point number.
    case real(Double)
    case string(String)
    /// A date, in milliseconds since 1970 UTC.
    case date(Int64)
    /// A date after this millisecond and before the next one.
    ///
    /// No stored date is equal to it, because stored dates are whole milliseconds.
    case dateBetween(Int64)

    /// Parses a date in RFC 3339 format, in UTC if it has no offset, or returns `nil` for any other string.
    public init?(date text: String) {
        guard let date = TableDate.parse(text) ?? TableDate.parse(text + "Z") else { return nil }
        self = date.isTruncated ? .dateBetween(date.milliseconds) : .date(date.milliseconds)
    }
}

extension QueryLiteral: Hashable {
    /// Compares the type and the value, with strings compared by code points without normalization.
    public static func == (a: QueryLiteral, b: QueryLiteral) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)), (.date(let a), .date(let b)),
            (.dateBetween(let a), .dateBetween(let b)):
            a == b
        case (.real(let a), .real(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    /// Adds the value to a hash.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value), .date(let value), .dateBetween(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value)
        case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
        }
    }
}

/// The text of a number in a query, such as `12`, `12l`, `1.5`, `1e3`, `2f`, `2d` or `2m`.
struct NumberText {
    private let text: String
    private let suffix: Character?

    /// Creates the text of a number from unsigned `digits`, which can end with a suffix in lower case.
    init(_ digits: String, isNegative: Bool) {
        let last = digits.last.flatMap { $0.isNumber ? nil : $0 }
        suffix = last
        text = (isNegative ? "-" : "") + (last == nil ? digits : String(digits.dropLast()))
    }

    /// The value, or `nil` if it is out of range.
    ///
    /// A whole number without a suffix becomes a floating-point number if it does not fit into 64 bits.
    var literal: QueryLiteral? {
        let isWhole = !text.contains { $0 == "." || $0 == "e" }
        if isWhole, suffix == nil || suffix == "l", let number = Int64(text) { return .integer(number) }
        guard suffix != "l", let number = Double(text), number.isFinite else { return nil }
        return .real(number)
    }
}
