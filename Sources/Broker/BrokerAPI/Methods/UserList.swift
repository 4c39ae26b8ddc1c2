public import FlowModel
public import OAuth

/// `user.list`: the authority's users; operators only.
public struct UserList: BrokerMethod {
    /// The name on the wire.
    public static let name = "user.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the users, by object id."
    /// The parameters.
    public static let fields: [Field] = [.id("after"), .limit]

    /// The object id of the last user seen.
    public let after: String?
    /// The greatest number of users, at most 1000.
    public let limit: Int64?

    /// Asks for a page of users.
    public init(after: String? = nil, limit: Int64? = nil) {
        self.after = after
        self.limit = limit
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        after = members.string("after")
        limit = members.int("limit")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("after", after)
        object.set("limit", limit)
        return object.members
    }

    /// The answer.
    public typealias Answer = Many<UserSummary>
}
