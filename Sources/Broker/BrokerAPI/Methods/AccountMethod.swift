public import OAuth

/// A method about one account of the caller, or about all of them.
public protocol AccountMethod: BrokerMethod {
    /// The account; all of the caller's if nil.
    var account: String? { get }

    /// A call about `account`, or about all accounts.
    init(account: String?)
}

extension AccountMethod {
    /// The parameters.
    public static var fields: [Field] { [.id("account")] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(account: members.string("account"))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("account", account)
        return object.members
    }
}
