public import FlowModel
public import JSONRPC
public import OAuth

/// `token.list`: what is known about the caller's cached tokens.
public struct TokenList: BrokerMethod {
    /// The answer.
    public typealias Answer = Many<TokenSummary>

    /// The name on the wire.
    public static let name = "token.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Describes the caller's cached tokens; it shows none."
    /// The parameters.
    public static let fields: [Field] = [.id("account")]

    /// The account whose tokens are meant; all of the caller's if it is nil.
    public let account: String?

    /// A call.
    public init(account: String? = nil) {
        self.account = account
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        account = members.string("account")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("account", account)
        return object.members
    }
}
