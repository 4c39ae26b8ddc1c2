public import FlowModel
public import OAuth

/// `account.use`: makes an account the caller's default.
public struct AccountUse: BrokerMethod {
    /// The account as it is now.
    public typealias Answer = AccountSummary

    /// The name on the wire.
    public static let name = "account.use"
    /// The sentence of `rpc.discover`.
    public static let summary = "Makes an account the one that is meant where several are signed in and none is named."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("account")]
    /// True: it changes the caller's default.
    public static var changesState: Bool { true }
    /// True: a repetition changes nothing.
    public var isRepeatable: Bool { true }

    /// The account's opaque id, as `account.list` answers it.
    public let account: String

    /// Makes `account` the default.
    public init(account: String) {
        self.account = account
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        account = try members.required("account")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["account": .string(account)] }
}
