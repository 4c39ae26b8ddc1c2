public import OAuth

/// A value that can be written as JSON and read from JSON.
public protocol WireValue: Sendable {
    /// Reads a value, and ignores unknown members, because the program that wrote the value might be newer.
    init(_ reader: WireReader) throws(UnreadableAnswer)
    var json: JSONValue { get }
    /// Returns the value to use if the member named `member` is absent, or throws an error if the member is required.
    static func absent(_ member: String) throws(UnreadableAnswer) -> Self
}

extension WireValue {
    /// Throws an error, because a member is required by default.
    public static func absent(_ member: String) throws(UnreadableAnswer) -> Self { throw UnreadableAnswer(member) }
}

/// A string from a fixed set; an optional member with an unrecognized string is treated as absent.
public protocol WireWord: WireValue, RawRepresentable<String> {}

extension WireWord {
    /// Reads a raw value from a JSON string.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = try reader.some(reader.value.string.flatMap(Self.init))
    }

    /// The raw value as a JSON string.
    public var json: JSONValue { .string(rawValue) }
}

extension String: WireValue {
    /// Reads a JSON string.
    public init(_ reader: WireReader) throws(UnreadableAnswer) { self = try reader.some(reader.value.string) }

    /// The JSON string.
    public var json: JSONValue { .string(self) }
}

extension Bool: WireValue {
    /// Reads a JSON boolean.
    public init(_ reader: WireReader) throws(UnreadableAnswer) { self = try reader.some(reader.value.bool) }

    /// The JSON boolean.
    public var json: JSONValue { .bool(self) }
}

extension WireValue where Self: FixedWidthInteger {
    /// Reads a JSON integer that fits this type.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = try reader.some(reader.value.int.flatMap { Self(exactly: $0) })
    }

    /// The JSON number, clamped to the range of a signed 64-bit integer.
    public var json: JSONValue { .int(Int64(clamping: self)) }
}

extension Int64: WireValue {}
extension Int32: WireValue {}
extension Int: WireValue {}
extension UInt32: WireValue {}
extension UInt16: WireValue {}

extension CorrelationID: WireValue {
    /// Reads an id from a JSON string.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = try reader.some(reader.value.string.flatMap { CorrelationID($0) })
    }

    /// The id as a JSON string.
    public var json: JSONValue { .string(description) }
}

extension JSONValue: WireValue {
    /// Accepts any JSON value.
    public init(_ reader: WireReader) { self = reader.value }

    /// The JSON value itself.
    public var json: JSONValue { self }
}

extension Array: WireValue where Element: WireValue {
    /// Reads a JSON array.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = []
        for element in try reader.some(reader.value.array) { append(try Element(WireReader(element, reader.member))) }
    }

    /// The JSON array.
    public var json: JSONValue { .array(map(\.json)) }

    /// Returns an empty array, because members that contain an array are optional.
    public static func absent(_ member: String) throws(UnreadableAnswer) -> [Element] { [] }
}

extension Dictionary: WireValue where Key == String, Value: WireValue {
    /// Reads a JSON object with arbitrary member names.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = [:]
        for (name, value) in try reader.some(reader.value.object) { self[name] = try Value(WireReader(value, name)) }
    }

    /// The JSON object.
    public var json: JSONValue { .object(mapValues(\.json)) }

    /// Returns an empty dictionary, because members that contain a dictionary are optional.
    public static func absent(_ member: String) throws(UnreadableAnswer) -> [String: Value] { [:] }
}

/// An error that is thrown if this version of the client cannot read a response.
public struct UnreadableAnswer: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the member that is missing or has the wrong type.
    public let member: String

    /// Creates an error that reports the member named `member`.
    public init(_ member: String) {
        self.member = member
    }

    /// An error message that contains the member's name.
    public var description: String {
        "The broker's response has no valid member \(member). Make sure that the program and the daemon are the same version."
    }
}

/// Reads a JSON value and its members.
public struct WireReader: Sendable {
    /// The JSON value to read: a response, or part of a response.
    public let value: JSONValue
    /// The name of the member that contains the value, or an empty string if the value is a whole response.
    let member: String

    /// Creates a reader for a whole response.
    public init(_ value: JSONValue) { self.init(value, "") }

    init(_ value: JSONValue, _ member: String) {
        self.value = value
        self.member = member
    }

    /// Returns the value of the member `name`, or calls `Value.absent(_:)` if the member is absent.
    func one<Value: WireValue>(_ name: String) throws(UnreadableAnswer) -> Value {
        guard let member = value[name] else { return try Value.absent(name) }
        return try Value(WireReader(member, name))
    }

    func optional<Value: WireValue>(_ name: String) throws(UnreadableAnswer) -> Value? {
        guard let member = value[name], !member.isNull else { return nil }
        do {
            return try Value(WireReader(member, name))
        } catch {
            if Value.self is any WireWord.Type { return nil }
            throw error
        }
    }

    func some<Value>(_ value: Value?) throws(UnreadableAnswer) -> Value {
        guard let value else { throw UnreadableAnswer(member) }
        return value
    }
}

struct ObjectBuilder {
    private(set) var members: [String: JSONValue] = [:]

    var json: JSONValue { .object(members) }

    mutating func set<Value: WireValue>(_ name: String, _ value: Value?) {
        members[name] = value?.json
    }

    mutating func set(_ name: String, unlessEmpty strings: [String]) {
        if !strings.isEmpty { set(name, strings) }
    }

    mutating func set(_ name: String, secrets: [String: Secret]) {
        if !secrets.isEmpty { set(name, secrets.mapValues { $0.reveal() }) }
    }
}
