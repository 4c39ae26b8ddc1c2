public import FlowModel
public import JSONRPC
public import OAuth

/// `token.list`: the facts about the caller's cached tokens.
public struct TokenList: BrokerMethod {
    /// The answer.
    public typealias Answer = Many<TokenSummary>

    /// The name on the wire.
    public static let name = "token.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Describes the caller's cached tokens; it shows none."
    /// The parameters.
    public static let fields: [Field] = [.id("account")]

    /// The account whose tokens are listed; all of the caller's if nil.
    public let account: String?

    /// Asks for the tokens of `account`, or of all accounts.
    public init(account: String? = nil) {
        self.account = account
    }

    /// Reads checked parameters.
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
