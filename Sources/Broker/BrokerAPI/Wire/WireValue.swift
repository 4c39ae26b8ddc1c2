public import OAuth

/// A value that the broker writes and its clients read.
public protocol WireValue: Sendable {
    /// Reads a value that a broker wrote; unknown members are ignored, since the broker may be newer.
    init(_ reader: WireReader) throws(UnreadableAnswer)
    /// The value as it is written.
    var json: JSONValue { get }
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
        try Value(WireReader(try json(name)))
    }

    func optional<Value: WireValue>(_ name: String) throws(UnreadableAnswer) -> Value? {
        guard let member = value[name] else { return nil }
        return try Value(WireReader(member))
    }

    /// A list; empty if it is absent.
    func list<Value: WireValue>(_ name: String) throws(UnreadableAnswer) -> [Value] {
        var values: [Value] = []
        for element in value[name]?.array ?? [] { values.append(try Value(WireReader(element))) }
        return values
    }

    private func some<Value>(_ name: String, _ value: Value?) throws(UnreadableAnswer) -> Value {
        guard let value else { throw UnreadableAnswer(name) }
        return value
    }
}
