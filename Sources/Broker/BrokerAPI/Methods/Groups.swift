public import FlowModel
public import OAuth

/// `group.list`: the groups of users; operators only.
public struct GroupList: BrokerMethod {
    /// The answer.
    public typealias Answer = [GroupSummary]

    /// Describes the method.
    public static let description = MethodDescription(
        "group.list",
        "Lists the groups, or one group with its first 1000 members by object id.",
        [.group, .id("after")],
        answer: "groups",
        for: .operators
    )

    /// The only group to show, with members.
    public let group: String?
    /// The object id of the last member seen.
    public let after: String?

    /// Asks for all groups, or for one with its members after `after`.
    public init(group: String? = nil, after: String? = nil) {
        self.group = group
        self.after = after
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        group = members.string("group")
        after = members.string("after")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("group", group)
        object.set("after", after)
        return object.members
    }
}

/// A method about one user in one group, for operators only.
public protocol MembershipMethod: BrokerMethod {
    /// The group.
    var group: String { get }
    /// The object id, or a sign-in name.
    var user: String { get }

    /// A call about the user `user` and the group `group`.
    init(group: String, user: String)
}

extension MembershipMethod {
    /// The parameters.
    public static var fields: [Field] { [.requiredGroup, .requiredID("user")] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(group: try members.required("group"), user: try members.required("user"))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["group": .string(group), "user": .string(user)] }
}

/// `group.add`: puts a user into a group; operators only.
public struct GroupAdd: MembershipMethod {
    /// The answer.
    public typealias Answer = GroupSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "group.add",
        "Puts a user into a group; tokens say so from the next one on.",
        fields,
        answer: "group",
        for: .operators,
        changesState: true
    )

    /// The group.
    public let group: String
    /// The object id, or a sign-in name.
    public let user: String

    /// Puts `user` into `group`.
    public init(group: String, user: String) {
        self.group = group
        self.user = user
    }
}

/// `group.remove`: takes a user out of a group; operators only.
public struct GroupRemove: MembershipMethod {
    /// The answer.
    public typealias Answer = Removal

    /// Describes the method.
    public static let description = MethodDescription(
        "group.remove",
        "Takes a user out of a group; tokens say so from the next one on.",
        fields,
        for: .operators,
        changesState: true
    )

    /// The group.
    public let group: String
    /// The object id, or a sign-in name.
    public let user: String

    /// Takes `user` out of `group`.
    public init(group: String, user: String) {
        self.group = group
        self.user = user
    }
}

extension GroupSummary: WireValue {
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
