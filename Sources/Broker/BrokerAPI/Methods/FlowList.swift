/// `flow.list`: the caller's open flows.
public struct FlowList: BareMethod {
    /// The answer.
    public typealias Answer = Many<FlowDocument>

    /// The name on the wire.
    public static let name = "flow.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the caller's open flows, without their steps."

    /// A call without parameters.
    public init() {}
}
