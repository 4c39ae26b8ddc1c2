/// Any JSON value, for claims and for members whose schema others define.
///
/// Integers and other numbers are two cases, so that no time or counter passes through a floating point number.
public enum JSONValue: Hashable, Sendable {
    /// JSON's `null`.
    case null
    /// A Boolean.
    case bool(Bool)
    /// A number that was written without fraction and exponent.
    case int(Int64)
    /// A number that was written with fraction or exponent; always finite when it was parsed.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object's members by name; they print sorted.
    case object([String: JSONValue])

    /// The string, if this is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, if this is a number that was written as one.
    public var int: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The latest ``numericDate``, in seconds since 1970 UTC: the end of the year 9999.
    public static let latestNumericDate: Int64 = 253_402_300_799

    /// The time in whole seconds since 1970 UTC, up to ``latestNumericDate``, if this is one (RFC 7519 §2); fractions,
    /// which the specification allows and nobody uses, are none.
    public var numericDate: Int64? {
        int.flatMap { (0...Self.latestNumericDate).contains($0) ? $0 : nil }
    }

    /// The number, if this is an ``int(_:)`` or a ``double(_:)``.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The Boolean, if this is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if this is an object.
    public var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    /// True if this is `null`.
    public var isNull: Bool { self == .null }

    /// The elements, if this is an array of strings only.
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
    /// Makes a string from a literal.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes an integer from a literal.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// Makes a number from a literal.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Makes a Boolean from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes an array from a literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Makes an object from a literal; of a repeated member the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    /// Makes `null` from `nil`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue: Codable {
    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value itself, without a wrapper.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// A value that stands in JSON member by member, for rows that every request reads or writes.
///
/// A coder that finds its way through any `Codable` takes several times as long.
public protocol JSONConvertible {
    /// Reads the value; nil if the JSON is of another form. Members that it does not know are left out.
    init?(json: JSONValue)
    /// The value as JSON.
    var json: JSONValue { get }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// Reads an array; nil if any of its elements is of another form.
    public init?(json: JSONValue) {
        guard let elements = json.array else { return nil }
        self = []
        reserveCapacity(elements.count)
        for element in elements {
            guard let value = Element(json: element) else { return nil }
            append(value)
        }
    }

    /// The elements in their order.
    public var json: JSONValue { .array(map(\.json)) }
}
