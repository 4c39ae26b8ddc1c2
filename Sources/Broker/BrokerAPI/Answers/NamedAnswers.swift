public import FlowModel
public import OAuth

/// A value that stands in answers under a name of its own.
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
    /// The member that holds one flow.
    public static var nameOfOne: String { "flow" }
    /// The member that holds a list of flows.
    public static var nameOfMany: String { "flows" }
}

extension PolicySummary: NamedValue {
    /// The member that holds one policy.
    public static var nameOfOne: String { "policy" }
    /// The member that holds a list of policies.
    public static var nameOfMany: String { "policies" }
}

extension AccountSummary: NamedValue {
    /// The member that holds one account.
    public static var nameOfOne: String { "account" }
    /// The member that holds a list of accounts.
    public static var nameOfMany: String { "accounts" }
}

extension TokenSummary: NamedValue {
    /// The member that holds one token.
    public static var nameOfOne: String { "token" }
    /// The member that holds a list of tokens.
    public static var nameOfMany: String { "tokens" }
}

extension AuditRecord: NamedValue {
    /// The member that holds one event.
    public static var nameOfOne: String { "event" }
    /// The member that holds a list of events.
    public static var nameOfMany: String { "events" }
}

extension ClientSummary: NamedValue {
    /// The member that holds one client.
    public static var nameOfOne: String { "client" }
    /// The member that holds a list of clients.
    public static var nameOfMany: String { "clients" }
}

extension UserSummary: NamedValue {
    /// The member that holds one user.
    public static var nameOfOne: String { "user" }
    /// The member that holds a list of users.
    public static var nameOfMany: String { "users" }
}

extension KeySummary: NamedValue {
    /// The member that holds one key.
    public static var nameOfOne: String { "key" }
    /// The member that holds a list of keys.
    public static var nameOfMany: String { "keys" }
}

extension GroupSummary: NamedValue {
    /// The member that holds one group.
    public static var nameOfOne: String { "group" }
    /// The member that holds a list of groups.
    public static var nameOfMany: String { "groups" }
}

extension Invitation: NamedValue {
    /// The member that holds one invitation.
    public static var nameOfOne: String { "invitation" }
    /// The member that holds a list of invitations.
    public static var nameOfMany: String { "invitations" }
}
