public import FlowModel

/// `client.list`: the registered clients; operators only.
public struct ClientList: BareMethod {
    /// The answer.
    public typealias Answer = Many<ClientSummary>

    /// The name on the wire.
    public static let name = "client.list"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the registered clients."

    /// A call without parameters.
    public init() {}
}
