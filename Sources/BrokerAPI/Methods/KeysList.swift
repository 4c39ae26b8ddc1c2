/// `keys.list`: the authority's signing keys; operators only.
public struct KeysList: BareMethod {
    /// What it answers.
    public typealias Answer = Many<KeySummary>

    /// On the wire.
    public static let name = "keys.list"
    /// For `rpc.discover`.
    public static let summary = "Lists the signing keys."

    /// A call.
    public init() {}
}
