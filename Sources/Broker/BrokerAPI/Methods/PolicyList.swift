public import FlowModel

/// `policy.list`: the daemon's policies.
public struct PolicyList: BareMethod {
    /// The answer.
    public typealias Answer = Many<PolicySummary>

    /// The name on the wire.
    public static let name = "policy.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the policies, with what is missing where one cannot be run."

    /// A call without parameters.
    public init() {}
}
