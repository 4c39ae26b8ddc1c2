public import FlowModel
public import JSONRPC
public import OAuth

/// `user.show`: one user; operators only.
public struct UserShow: BrokerMethod {
    /// The answer.
    public typealias Answer = One<UserSummary>

    /// The name on the wire.
    public static let name = "user.show"
    /// The sentence of `rpc.discover`.
    public static let summary = "Shows a user, with attributes."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("user")]

    /// The object id, or a sign-in name.
    public let user: String

    /// Asks for the user `user`.
    public init(user: String) {
        self.user = user
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        user = try members.required("user")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["user": .string(user)] }
}
