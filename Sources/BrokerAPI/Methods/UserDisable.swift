public import JSONRPC
public import OAuth

/// `user.disable`: keeps a user from signing in; operators only.
public struct UserDisable: BrokerMethod {
    /// What it answers.
    public typealias Answer = One<UserSummary>

    /// On the wire.
    public static let name = "user.disable"
    /// For `rpc.discover`.
    public static let summary = "Keeps a user from signing in and ends sessions and tokens' renewal."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("user")]
    /// It changes something.
    public static var changesState: Bool { true }

    /// The object id, or a sign-in name.
    public let user: String

    /// A call.
    public init(user: String) {
        self.user = user
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        user = try members.required("user")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["user": .string(user)] }
}
