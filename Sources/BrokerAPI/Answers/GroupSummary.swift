public import OAuth

/// A group of users, as operators see it.
public struct GroupSummary: WireValue, Hashable {
    /// Its name, as it stands in tokens.
    public let group: String
    /// How many users are in it.
    public let count: Int64
    /// The first of them by object id, where one group was asked for.
    public let members: [String]?

    /// A group.
    public init(group: String, count: Int64, members: [String]? = nil) {
        self.group = group
        self.count = count
        self.members = members
    }

    /// Reads a group.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            group: try reader.string("group"),
            count: reader.value["count"]?.int ?? 0,
            members: reader.value["members"]?.strings
        )
    }

    /// The group as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("group", group)
        object.set("count", count)
        if let members { object.set("members", strings: members) }
        return object.json
    }
}

extension GroupSummary: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "group" }
    /// On the wire.
    public static var nameOfMany: String { "groups" }
}

/// An address that may sign up.
public struct Invitation: WireValue, Hashable {
    /// The address.
    public let email: String
    /// Until when, in milliseconds since 1970 UTC.
    public let expiresAt: Int64

    /// An address that may sign up.
    public init(email: String, expiresAt: Int64) {
        self.email = email
        self.expiresAt = expiresAt
    }

    /// Reads an invitation.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(email: try reader.string("email"), expiresAt: reader.value["expiresAt"]?.int ?? 0)
    }

    /// The invitation as it is written.
    public var json: JSONValue { ["email": .string(email), "expiresAt": .int(expiresAt)] }
}

extension Invitation: NamedValue {
    /// On the wire.
    public static var nameOfOne: String { "invitation" }
    /// On the wire.
    public static var nameOfMany: String { "invitations" }
}
