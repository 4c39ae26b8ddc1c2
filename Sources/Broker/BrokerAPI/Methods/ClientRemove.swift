public import OAuth

/// `client.remove`: removes a client; operators only.
public struct ClientRemove: BrokerMethod {
    /// The answer.
    public typealias Answer = Removal

    /// The name on the wire.
    public static let name = "client.remove"
    /// The sentence of `rpc.discover`.
    public static let summary = "Removes a client and ends what it was given."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("client")]
    /// True: a call changes state.
    public static var changesState: Bool { true }

    /// The client's id.
    public let client: String

    /// Removes the client `client`.
    public init(client: String) {
        self.client = client
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        client = try members.required("client")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["client": .string(client)] }
}
