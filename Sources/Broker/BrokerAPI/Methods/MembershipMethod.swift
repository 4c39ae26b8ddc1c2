public import OAuth

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

    /// True: a call changes state.
    public static var changesState: Bool { true }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(group: try members.required("group"), user: try members.required("user"))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["group": .string(group), "user": .string(user)] }
}
