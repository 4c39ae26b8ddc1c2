public import FlowModel
public import OAuth

/// `account.get`: one of the caller's accounts.
public struct AccountGet: BrokerMethod {
    /// The answer.
    public typealias Answer = AccountSummary

    /// The name on the wire.
    public static let name = "account.get"
    /// The sentence of `rpc.discover`.
    public static let summary = "Shows one of the caller's accounts."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("account")]

    /// Its opaque id.
    public let account: String

    /// Asks for the account `account`.
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
