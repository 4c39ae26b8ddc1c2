/// `policy.list`: the daemon's policies.
public struct PolicyList: BareMethod {
    /// What it answers.
    public typealias Answer = Many<PolicySummary>

    /// On the wire.
    public static let name = "policy.list"
    /// For `rpc.discover`.
    public static let summary = "Lists the policies, with what is missing where one cannot be run."

    /// A call.
    public init() {}
}
