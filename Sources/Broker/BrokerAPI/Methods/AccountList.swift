public import FlowModel

/// `account.list`: the caller's accounts.
public struct AccountList: BareMethod {
    /// The answer.
    public typealias Answer = Many<AccountSummary>

    /// The name on the wire.
    public static let name = "account.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the caller's accounts."

    /// A call without parameters.
    public init() {}
}
