public import FlowModel
public import JSONRPC
public import OAuth

/// `user.invite`: lets whoever has an address sign up with it; operators only.
public struct UserInvite: BrokerMethod {
    /// The answer.
    public typealias Answer = One<Invitation>

    /// The name on the wire.
    public static let name = "user.invite"
    /// The sentence of `rpc.discover`.
    public static let summary = "Invites whoever has an address to sign up with it, and tells them by mail."
    /// The parameters.
    public static let fields: [Field] = [.required("email", .string(3...256)), Field("days", .integer(1...365))]
    /// A call changes something.
    public static var changesState: Bool { true }

    /// The address.
    public let email: String
    /// How many days the invitation is good.
    public let days: Int64?

    /// A call.
    public init(email: String, days: Int64? = nil) {
        self.email = email
        self.days = days
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        email = try members.required("email")
        days = members.int("days")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("email", email)
        object.set("days", days)
        return object.members
    }
}
