/// `client.list`: the registered clients; operators only.
public struct ClientList: BareMethod {
    /// What it answers.
    public typealias Answer = Many<ClientSummary>

    /// On the wire.
    public static let name = "client.list"
    /// For `rpc.discover`.
    public static let summary = "Lists the registered clients."

    /// A call.
    public init() {}
}
