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

extension Array: WireValue where Element: WireValue {
    /// Reads a list; empty if there is none.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self = []
        for element in reader.value.array ?? [] { append(try Element(WireReader(element))) }
    }

    /// The list as it is written.
    public var json: JSONValue { .array(map(\.json)) }

    /// The empty list.
    public static func absent(_ member: String) throws(UnreadableAnswer) -> [Element] { [] }
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

/// The members of an answer.
public struct WireReader: Sendable {
    /// The answer, or a part of it.
    public let value: JSONValue

    /// Reads from `value`.
    public init(_ value: JSONValue) {
        self.value = value
    }

    func string(_ name: String) throws(UnreadableAnswer) -> String { try some(name, value[name]?.string) }
    func int(_ name: String) throws(UnreadableAnswer) -> Int64 { try some(name, value[name]?.int) }
    func bool(_ name: String) throws(UnreadableAnswer) -> Bool { try some(name, value[name]?.bool) }
    func strings(_ name: String) throws(UnreadableAnswer) -> [String] { try some(name, value[name]?.strings) }
    func json(_ name: String) throws(UnreadableAnswer) -> JSONValue { try some(name, value[name]) }

    func one<Value: WireValue>(_ name: String) throws(UnreadableAnswer) -> Value {
        guard let member = value[name] else { return try Value.absent(name) }
        return try Value(WireReader(member))
    }

    func optional<Value: WireValue>(_ name: String) throws(UnreadableAnswer) -> Value? {
        guard let member = value[name] else { return nil }
        return try Value(WireReader(member))
    }

    /// A list; empty if it is absent.
    func list<Value: WireValue>(_ name: String) throws(UnreadableAnswer) -> [Value] { try one(name) }

    private func some<Value>(_ name: String, _ value: Value?) throws(UnreadableAnswer) -> Value {
        guard let value else { throw UnreadableAnswer(name) }
        return value
    }
}

/// A builder of an object that leaves out nil values.
struct ObjectBuilder {
    private(set) var members: [String: JSONValue] = [:]

    /// The object.
    var json: JSONValue { .object(members) }

    mutating func set(_ name: String, _ value: String?) {
        members[name] = value.map(JSONValue.string)
    }

    mutating func set(_ name: String, _ value: Int64?) {
        members[name] = value.map(JSONValue.int)
    }

    mutating func set(_ name: String, _ value: Bool?) {
        members[name] = value.map(JSONValue.bool)
    }

    mutating func set(_ name: String, _ value: JSONValue?) {
        members[name] = value
    }

    mutating func set(_ name: String, strings: [String]) {
        members[name] = .array(strings.map(JSONValue.string))
    }

    /// Sets a list, unless it is empty.
    mutating func set(_ name: String, unlessEmpty strings: [String]) {
        if !strings.isEmpty { set(name, strings: strings) }
    }

    /// Sets a map of secrets, unless it is empty.
    mutating func set(_ name: String, secrets: [String: Secret]) {
        if !secrets.isEmpty { members[name] = .object(secrets.mapValues { .string($0.reveal()) }) }
    }

    /// Sets a member to true, unless the flag is false.
    mutating func set(_ name: String, ifTrue flag: Bool) {
        if flag { set(name, true) }
    }

    mutating func set<Value: WireValue>(_ name: String, _ values: [Value]) {
        members[name] = .array(values.map(\.json))
    }
}
