public import FlowModel
public import JSONRPC
public import OAuth

/// `user.disable`: keeps a user from signing in; operators only.
public struct UserDisable: BrokerMethod {
    /// The answer.
    public typealias Answer = One<UserSummary>

    /// The name on the wire.
    public static let name = "user.disable"
    /// The sentence of `rpc.discover`.
    public static let summary =
        "Keeps a user from signing in and ends what is signed in; disabled: false lets the user in again."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("user"), Field("disabled", .boolean)]
    /// A call changes something.
    public static var changesState: Bool { true }

    /// The object id, or a sign-in name.
    public let user: String
    /// Whether the user is kept out; `false` lets a disabled one in again.
    public let disabled: Bool

    /// A call.
    public init(user: String, disabled: Bool = true) {
        self.user = user
        self.disabled = disabled
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        user = try members.required("user")
        disabled = members.bool("disabled") ?? true
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        disabled ? ["user": .string(user)] : ["user": .string(user), "disabled": false]
    }
}
