public import OAuth

/// A value that the broker writes and its clients read.
public protocol WireValue: Sendable {
    /// Reads a value that a broker wrote; unknown members are ignored, since the broker may be newer.
    init(_ reader: WireReader) throws(UnreadableAnswer)
    /// The value as it is written.
    var json: JSONValue { get }
    /// The value of a member that is absent.
    ///
    /// - Throws: The error that names the member, if it must be there.
    static func absent(_ member: String) throws(UnreadableAnswer) -> Self
}

extension WireValue {
    /// Throws, since a value must be there.
    public static func absent(_ member: String) throws(UnreadableAnswer) -> Self { throw UnreadableAnswer(member) }
}

/// A word on the wire; one that is newer than this version is read as if it were absent, where it may be.
public protocol WireWord: WireValue, RawRepresentable<String> {}

extension WireWord {
    /// Reads a word.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = try reader.some(reader.value.string.flatMap(Self.init))
    }

    /// The word as it is written.
    public var json: JSONValue { .string(rawValue) }
}

extension String: WireValue {
    /// Reads a text.
    public init(_ reader: WireReader) throws(UnreadableAnswer) { self = try reader.some(reader.value.string) }

    /// The text as it is written.
    public var json: JSONValue { .string(self) }
}

extension Bool: WireValue {
    /// Reads a truth value.
    public init(_ reader: WireReader) throws(UnreadableAnswer) { self = try reader.some(reader.value.bool) }

    /// The truth value as it is written.
    public var json: JSONValue { .bool(self) }
}

extension WireValue where Self: FixedWidthInteger {
    /// Reads a whole number of this width.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = try reader.some(reader.value.int.flatMap { Self(exactly: $0) })
    }

    /// The number as it is written.
    public var json: JSONValue { .int(Int64(clamping: self)) }
}

extension Int64: WireValue {}
extension Int32: WireValue {}
extension Int: WireValue {}
extension UInt32: WireValue {}
extension UInt16: WireValue {}

extension CorrelationID: WireValue {
    /// Reads an id.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = try reader.some(reader.value.string.flatMap { CorrelationID($0) })
    }

    /// The id as it is written.
    public var json: JSONValue { .string(description) }
}

extension JSONValue: WireValue {
    /// Takes the value as it is.
    public init(_ reader: WireReader) { self = reader.value }

    /// The value as it is.
    public var json: JSONValue { self }
}

extension Array: WireValue where Element: WireValue {
    /// Reads a list.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = []
        for element in try reader.some(reader.value.array) { append(try Element(WireReader(element, reader.member))) }
    }

    /// The list as it is written.
    public var json: JSONValue { .array(map(\.json)) }

    /// The empty list.
    public static func absent(_ member: String) throws(UnreadableAnswer) -> [Element] { [] }
}

extension Dictionary: WireValue where Key == String, Value: WireValue {
    /// Reads an object of members with any names.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = [:]
        for (name, value) in try reader.some(reader.value.object) { self[name] = try Value(WireReader(value, name)) }
    }

    /// The object as it is written.
    public var json: JSONValue { .object(mapValues(\.json)) }

    /// The empty object.
    public static func absent(_ member: String) throws(UnreadableAnswer) -> [String: Value] { [:] }
}

/// The error of an answer that a client of this version cannot read.
public struct UnreadableAnswer: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member that is missing or of another type.
    public let member: String

    /// An answer whose `member` cannot be read.
    public init(_ member: String) {
        self.member = member
    }

    /// A sentence that names the unreadable member.
    public var description: String { "the broker's answer has no usable member \(member)" }
}

/// A value on the wire that is read, and its members.
public struct WireReader: Sendable {
    /// The answer, or a part of it.
    public let value: JSONValue
    /// The name of the member that the value is; empty for a whole answer.
    let member: String

    /// Reads from `value`.
    public init(_ value: JSONValue) { self.init(value, "") }

    init(_ value: JSONValue, _ member: String) {
        self.value = value
        self.member = member
    }

    /// A member that must be there, or that has a value if it is absent.
    func one<Value: WireValue>(_ name: String) throws(UnreadableAnswer) -> Value {
        guard let member = value[name] else { return try Value.absent(name) }
        return try Value(WireReader(member, name))
    }

    /// A member, or nil if it is absent.
    func optional<Value: WireValue>(_ name: String) throws(UnreadableAnswer) -> Value? {
        guard let member = value[name], !member.isNull else { return nil }
        do {
            return try Value(WireReader(member, name))
        } catch {
            if Value.self is any WireWord.Type { return nil }
            throw error
        }
    }

    /// The value itself, which must be of the type that is looked for.
    func some<Value>(_ value: Value?) throws(UnreadableAnswer) -> Value {
        guard let value else { throw UnreadableAnswer(member) }
        return value
    }
}

/// A builder of an object that leaves out nil values.
struct ObjectBuilder {
    private(set) var members: [String: JSONValue] = [:]

    /// The object.
    var json: JSONValue { .object(members) }

    mutating func set<Value: WireValue>(_ name: String, _ value: Value?) {
        members[name] = value?.json
    }

    /// Sets a list, unless it is empty.
    mutating func set(_ name: String, unlessEmpty strings: [String]) {
        if !strings.isEmpty { set(name, strings) }
    }

    /// Sets a map of secrets, unless it is empty.
    mutating func set(_ name: String, secrets: [String: Secret]) {
        if !secrets.isEmpty { set(name, secrets.mapValues { $0.reveal() }) }
    }
}
