public import FlowModel

/// `account.list`: the caller's accounts.
public struct AccountList: BareMethod {
    /// What it answers.
    public typealias Answer = Many<AccountSummary>

    /// On the wire.
    public static let name = "account.list"
    /// For `rpc.discover`.
    public static let summary = "Lists the caller's accounts."

    /// A call.
    public init() {}
}
