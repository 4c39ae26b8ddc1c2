public import FlowModel
public import OAuth

/// Something that stands in answers under a name of its own.
public protocol NamedValue: WireValue {
    /// The member that holds one of them.
    static var nameOfOne: String { get }
    /// The member that holds a list of them.
    static var nameOfMany: String { get }
}

/// An answer that is one value under its name, such as `{flow}`.
public struct One<Value: NamedValue>: WireValue {
    /// The value.
    public let value: Value

    /// An answer that is one value.
    public init(_ value: Value) {
        self.value = value
    }

    /// Reads a value.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        value = try reader.one(Value.nameOfOne)
    }

    /// The value as it is written.
    public var json: JSONValue { .object([Value.nameOfOne: value.json]) }
}

/// An answer that is a list of values under their name, such as `{accounts}`.
public struct Many<Value: NamedValue>: WireValue {
    /// The values.
    public let values: [Value]

    /// An answer that is a list.
    public init(_ values: [Value]) {
        self.values = values
    }

    /// Reads a list.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        values = try reader.list(Value.nameOfMany)
    }

    /// The list as it is written.
    public var json: JSONValue { .object([Value.nameOfMany: .array(values.map(\.json))]) }
}

extension FlowDocument: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "flow" }
    /// On the wire.
    public static var nameOfMany: String { "flows" }
}

extension PolicySummary: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "policy" }
    /// On the wire.
    public static var nameOfMany: String { "policies" }
}

extension AccountSummary: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "account" }
    /// On the wire.
    public static var nameOfMany: String { "accounts" }
}

extension TokenSummary: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "token" }
    /// On the wire.
    public static var nameOfMany: String { "tokens" }
}

extension AuditRecord: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "event" }
    /// On the wire.
    public static var nameOfMany: String { "events" }
}

extension ClientSummary: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "client" }
    /// On the wire.
    public static var nameOfMany: String { "clients" }
}

extension UserSummary: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "user" }
    /// On the wire.
    public static var nameOfMany: String { "users" }
}

extension KeySummary: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "key" }
    /// On the wire.
    public static var nameOfMany: String { "keys" }
}

extension GroupSummary: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "group" }
    /// On the wire.
    public static var nameOfMany: String { "groups" }
}

extension Invitation: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "invitation" }
    /// On the wire.
    public static var nameOfMany: String { "invitations" }
}
