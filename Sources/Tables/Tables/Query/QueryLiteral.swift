/// A value that stands in a query.
public enum QueryLiteral: Sendable {
    /// Nothing.
    case null
    /// A truth value.
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// Any other number; finite.
    case real(Double)
    /// A text.
    case string(String)
    /// A point in time, in milliseconds since 1970 UTC.
    case date(Int64)
}

extension QueryLiteral: Hashable {
    /// Compares kind and value; texts by their code points, without any normalisation.
    public static func == (a: QueryLiteral, b: QueryLiteral) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)), (.date(let a), .date(let b)): a == b
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
        case .integer(let value), .date(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value)
        case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
        }
    }
}

/// A number as clients write it: `12`, `12l` and `1.5`, `1e3`, `2f`, `2d`, `2m`.
struct NumberText {
    private let text: String
    private let suffix: Character?

    /// - Parameters:
    ///   - digits: Without a sign, perhaps with a suffix in lower case.
    ///   - isNegative: True if a minus sign precedes it.
    init(_ digits: String, isNegative: Bool) {
        let last = digits.last.flatMap { $0.isNumber ? nil : $0 }
        suffix = last
        text = (isNegative ? "-" : "") + (last == nil ? digits : String(digits.dropLast()))
    }

    /// The value; nil if it is out of range.
    ///
    /// A whole number without suffix that is too large for 64 bits is read as a real one, as clients mean it.
    var literal: QueryLiteral? {
        let isWhole = !text.contains { $0 == "." || $0 == "e" }
        if isWhole, suffix == nil || suffix == "l", let number = Int64(text) { return .integer(number) }
        guard suffix != "l", let number = Double(text), number.isFinite else { return nil }
        return .real(number)
    }
}
