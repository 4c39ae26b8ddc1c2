/// Any JSON, for claims and for members whose shape is not ours to say.
///
/// Integers and other numbers are two cases, so that no time or counter passes through a floating point number.
public enum JSONValue: Hashable, Sendable {
    /// JSON's `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number that was written without fraction and exponent.
    case int(Int64)
    /// A number that was written with fraction or exponent; always finite when it was parsed.
    case double(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name; they print sorted.
    case object([String: JSONValue])

    /// The text, if this is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, if this is a number that was written as one.
    public var int: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The number, if this is one of either case.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The truth value, if this is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements, if this is a list.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if this is an object.
    public var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The texts of a list of nothing but texts.
    public var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }

    /// The member of that name, if this is an object that has it.
    public subscript(_ name: String) -> JSONValue? { object?[name] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral,
    ExpressibleByFloatLiteral
{
    /// A text as written in the source.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An integer as written in the source.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// A number as written in the source.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// A truth value as written in the source.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A list as written in the source.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object as written in the source; of a member written twice the last stands.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    /// `null` as written in the source.
    public init(nilLiteral: ()) { self = .null }
}
