/// `flow.list`: the caller's open flows.
public struct FlowList: BareMethod {
    /// What it answers.
    public typealias Answer = Many<FlowDocument>

    /// On the wire.
    public static let name = "flow.list"
    /// For `rpc.discover`.
    public static let summary = "Lists the caller's open flows, without their steps."

    /// A call.
    public init() {}
}
