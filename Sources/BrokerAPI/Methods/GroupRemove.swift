public import JSONRPC
public import OAuth

/// `group.remove`: takes a user out of a group; operators only.
public struct GroupRemove: BrokerMethod {
    /// The answer.
    public typealias Answer = Removal

    /// The name on the wire.
    public static let name = "group.remove"
    /// The sentence of `rpc.discover`.
    public static let summary = "Takes a user out of a group; tokens say so from the next one on."
    /// The parameters.
    public static let fields: [Field] = [.requiredGroup, .requiredID("user")]
    /// True: a call changes state.
    public static var changesState: Bool { true }

    /// The group.
    public let group: String
    /// The object id, or a sign-in name.
    public let user: String

    /// Takes `user` out of `group`.
    public init(group: String, user: String) {
        self.group = group
        self.user = user
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        group = try members.required("group")
        user = try members.required("user")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["group": .string(group), "user": .string(user)] }
}
