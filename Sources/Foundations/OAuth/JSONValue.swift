/// A JSON value, with a case for integers, so that no time or counter becomes a floating-point number.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number written without a fraction or an exponent.
    case int(Int64)
    /// A number with a fraction or an exponent, or too large for ``int(_:)``, and always finite if parsed from JSON.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The string, or `nil` if the value is not a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, or `nil` if the value is not an ``int(_:)``.
    public var int: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The last second of the year 9999, in seconds since 1970 UTC, which is the maximum of ``numericDate``.
    public static let latestNumericDate: Int64 = 253_402_300_799

    /// The integer in seconds since 1970 UTC (RFC 7519 §2), or `nil` unless it is from 0 to ``latestNumericDate``.
    public var numericDate: Int64? {
        int.flatMap { (0...Self.latestNumericDate).contains($0) ? $0 : nil }
    }

    /// The number as a `Double`, or `nil` if the value is not a number.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The Boolean, or `nil` if the value is not a Boolean.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of the array, or `nil` if the value is not an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of the object, or `nil` if the value is not an object.
    public var object: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Whether the value is `null`.
    public var isNull: Bool { self == .null }

    /// The elements of the array as strings, or `nil` if the value is not an array that contains only strings.
    public var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }

    /// Returns the value of the member `name`, or `nil` if the value is not an object that has this member.
    public subscript(_ name: String) -> JSONValue? { object?[name] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral,
    ExpressibleByFloatLiteral
{
    /// Creates a string from a literal.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an integer from a literal.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// Creates a floating-point number from a literal.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Creates a Boolean from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates an array from a literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object from a literal, using the last value of a repeated name.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    /// Creates `null` from `nil`.
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

    /// Encodes the value as plain JSON.
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

/// A type that converts to and from JSON directly, several times faster than a `Codable` coder.
public protocol JSONConvertible {
    /// Creates a value from JSON, ignoring unknown members, or returns `nil` if the JSON has the wrong form.
    init?(json: JSONValue)
    var json: JSONValue { get }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// Creates an array from JSON, or returns `nil` if the JSON is not an array of elements in the required form.
    public init?(json: JSONValue) {
        guard let elements = json.array else { return nil }
        self = []
        reserveCapacity(elements.count)
        for element in elements {
            guard let value = Element(json: element) else { return nil }
            append(value)
        }
    }

    /// The elements as a JSON array, in the same order.
    public var json: JSONValue { .array(map(\.json)) }
}
