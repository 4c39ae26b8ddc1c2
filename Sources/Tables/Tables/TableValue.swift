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
