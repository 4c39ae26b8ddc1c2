public import FlowModel
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
    /// True: a call changes state.
    public static var changesState: Bool { true }

    /// The object id, or a sign-in name.
    public let user: String
    /// True to keep the user from signing in; `false` allows it again.
    public let disabled: Bool

    /// Disables the user `user`, or enables it again.
    public init(user: String, disabled: Bool = true) {
        self.user = user
        self.disabled = disabled
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        user = try members.required("user")
        disabled = members.bool("disabled") ?? true
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        disabled ? ["user": .string(user)] : ["user": .string(user), "disabled": false]
    }
}
