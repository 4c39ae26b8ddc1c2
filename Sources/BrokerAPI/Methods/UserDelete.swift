public import JSONRPC
public import OAuth

/// `user.delete`: deletes a user; operators only.
public struct UserDelete: BrokerMethod {
    /// The answer.
    public typealias Answer = Removal

    /// The name on the wire.
    public static let name = "user.delete"
    /// The sentence of `rpc.discover`.
    public static let summary = "Deletes a user, with sessions, flows and renewals."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("user")]
    /// True: a call changes state.
    public static var changesState: Bool { true }

    /// The object id, or a sign-in name.
    public let user: String

    /// Deletes the user `user`.
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
