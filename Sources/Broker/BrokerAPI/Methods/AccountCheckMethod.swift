public import FlowModel
public import OAuth

/// A method about one check of an account: `check.logout` or `check.status`.
public protocol AccountCheckMethod: BrokerMethod where Answer == CheckStatus {
    /// The name of the check in `checks.yaml`.
    var check: String { get }
    /// The policy; nil for the one that the account signed in with.
    var policy: String? { get }
    /// The account, by its opaque id; nil for the one that is meant.
    var account: String? { get }

    /// A call.
    init(check: String, policy: String?, account: String?)
}

extension AccountCheckMethod {
    /// The parameters.
    public static var fields: [Field] { [.required("check", .string(1...64)), .policy, .id("account")] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(
            check: try members.required("check"),
            policy: members.string("policy"),
            account: members.string("account")
        )
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("check", check)
        object.set("policy", policy)
        object.set("account", account)
        return object.members
    }
}
