public import FlowModel

/// `group.list`: the groups of users; operators only.
public struct GroupList: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = [GroupSummary]

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(group:after:),
        Member("group", optional: \.group, .name),
        Member("after", optional: \.after, .id)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "group.list",
        "Lists the groups, or one group with its first 1000 members by object id.",
        wire.fields,
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
}

/// A method about one user in one group, for operators only.
public protocol MembershipMethod: BrokerMethod, WireObject {
    /// The group.
    var group: String { get }
    /// The object id, or a sign-in name.
    var user: String { get }

    /// A call about the user `user` and the group `group`.
    init(group: String, user: String)
}

extension MembershipMethod {
    /// The parameters.
    public static var wire: WireMembers<Self> {
        WireMembers(
            Self.init(group:user:),
            Member("group", \.group, .name),
            Member("user", \.user, .id)
        )
    }
}

/// `group.add`: puts a user into a group; operators only.
public struct GroupAdd: MembershipMethod {
    /// The answer.
    public typealias Answer = GroupSummary

    /// Describes the method.
    public static let description = MethodDescription(
        "group.add",
        "Puts a user into a group; tokens say so from the next one on.",
        wire.fields,
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
        wire.fields,
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

extension GroupSummary: WireObject {
    /// The members on the wire.
    public static let wire = WireMembers(
        Self.init(group:count:members:),
        Member("group", \.group),
        Member("count", \.count, or: 0),
        Member("members", optional: \.members)
    )
}
