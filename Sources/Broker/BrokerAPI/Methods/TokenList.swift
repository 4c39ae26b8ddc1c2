public import FlowModel

/// `token.list`: the facts about the caller's cached tokens.
public struct TokenList: AccountMethod {
    /// The answer.
    public typealias Answer = Many<TokenSummary>

    /// The name on the wire.
    public static let name = "token.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Describes the caller's cached tokens; it shows none."

    /// The account whose tokens are listed; all of the caller's if nil.
    public let account: String?

    /// Asks for the tokens of `account`, or of all accounts.
    public init(account: String? = nil) {
        self.account = account
    }
}
