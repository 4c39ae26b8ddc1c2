public import FlowModel
public import OAuth

/// `user.invite`: lets the holder of an address sign up with it; operators only.
public struct UserInvite: BrokerMethod {
    /// The answer.
    public typealias Answer = One<Invitation>

    /// The name on the wire.
    public static let name = "user.invite"
    /// The sentence of `rpc.discover`.
    public static let summary = "Invites whoever has an address to sign up with it, and tells them by mail."
    /// The parameters.
    public static let fields: [Field] = [.required("email", .string(3...256)), Field("days", .integer(1...365))]
    /// True: a call changes state.
    public static var changesState: Bool { true }

    /// The address.
    public let email: String
    /// The days for which the invitation is open, 1 to 365.
    public let days: Int64?

    /// Invites the holder of `email`.
    public init(email: String, days: Int64? = nil) {
        self.email = email
        self.days = days
    }

    /// Reads checked parameters.
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
