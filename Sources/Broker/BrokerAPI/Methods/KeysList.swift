public import FlowModel

/// `keys.list`: the authority's signing keys; operators only.
public struct KeysList: BareMethod {
    /// The answer.
    public typealias Answer = Many<KeySummary>

    /// The name on the wire.
    public static let name = "keys.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the signing keys."

    /// A call without parameters.
    public init() {}
}
