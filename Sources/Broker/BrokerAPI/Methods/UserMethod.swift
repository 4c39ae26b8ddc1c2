public import OAuth

/// A method about one user, for operators only.
public protocol UserMethod: BrokerMethod {
    /// The object id, or a sign-in name.
    var user: String { get }

    /// A call about the user `user`.
    init(user: String)
}

extension UserMethod {
    /// The parameters.
    public static var fields: [Field] { [.requiredID("user")] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(user: try members.required("user"))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["user": .string(user)] }
}
