public import FlowModel
public import OAuth

/// `group.list`: the groups of users; operators only.
public struct GroupList: BrokerMethod {
    /// The answer.
    public typealias Answer = Many<GroupSummary>

    /// The name on the wire.
    public static let name = "group.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the groups, or one group with its first 1000 members by object id."
    /// The parameters.
    public static let fields: [Field] = [.group, .id("after")]

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
