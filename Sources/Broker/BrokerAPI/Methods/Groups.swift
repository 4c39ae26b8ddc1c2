public import FlowModel

/// The `group.list` method, with which operators list the user groups or the members of one group.
public struct GroupList: BrokerMethod, WireObject {
    /// The type of the response, which contains the groups.
    public typealias Answer = [GroupSummary]

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(
        Self.init(group:after:),
        Member("group", optional: \.group, .name),
        Member("after", optional: \.after, .id)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "group.list",
        "Lists the groups, or one group with its first 1000 members, sorted by object id.",
        wire.fields,
        answer: "groups",
        for: .operators
    )

    /// The group to return with its members, or `nil` to return all groups without their members.
    public let group: String?
    /// The object id of the last member that the caller already has, or `nil` to start at the first member.
    public let after: String?

    /// Creates a call that returns `group` and the members that follow `after`, or all groups if `group` is `nil`.
    public init(group: String? = nil, after: String? = nil) {
        self.group = group
        self.after = after
    }
}

/// An operator method that acts on one user and one group.
public protocol MembershipMethod: BrokerMethod, WireObject {
    var group: String { get }
    /// The user's object id or one of the user's sign-in names.
    var user: String { get }

    init(group: String, user: String)
}

extension MembershipMethod {
    /// The JSON members, which are used to read and write the parameters.
    public static var wire: WireMembers<Self> {
        WireMembers(
            Self.init(group:user:),
            Member("group", \.group, .name),
            Member("user", \.user, .id)
        )
    }
}

/// The `group.add` method, with which operators add a user to a group.
public struct GroupAdd: MembershipMethod {
    /// The type of the response, which contains the group in its state after the call.
    public typealias Answer = GroupSummary

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "group.add",
        "Adds a user to a group; the change takes effect with the next token.",
        wire.fields,
        answer: "group",
        for: .operators,
        changesState: true
    )

    /// The name of the group.
    public let group: String
    /// The user's object id or one of the user's sign-in names.
    public let user: String

    /// Creates a call that adds `user` to `group`.
    public init(group: String, user: String) {
        self.group = group
        self.user = user
    }
}

/// The `group.remove` method, with which operators remove a user from a group.
public struct GroupRemove: MembershipMethod {
    /// The type of the response, which says what was removed.
    public typealias Answer = Removal

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "group.remove",
        "Removes a user from a group; the change takes effect with the next token.",
        wire.fields,
        for: .operators,
        changesState: true
    )

    /// The name of the group.
    public let group: String
    /// The user's object id or one of the user's sign-in names.
    public let user: String

    /// Creates a call that removes `user` from `group`.
    public init(group: String, user: String) {
        self.group = group
        self.user = user
    }
}

extension GroupSummary: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(group:count:members:),
        Member("group", \.group),
        Member("count", \.count, or: 0),
        Member("members", optional: \.members)
    )
}
