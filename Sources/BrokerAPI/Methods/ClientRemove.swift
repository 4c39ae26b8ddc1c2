public import JSONRPC
public import OAuth

/// `client.remove`: takes a client away; operators only.
public struct ClientRemove: BrokerMethod {
    /// The answer.
    public typealias Answer = Removal

    /// The name on the wire.
    public static let name = "client.remove"
    /// The sentence of `rpc.discover`.
    public static let summary = "Removes a client and ends what it was given."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("client")]
    /// A call changes something.
    public static var changesState: Bool { true }

    /// Its id.
    public let client: String

    /// A call.
    public init(client: String) {
        self.client = client
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        client = try members.required("client")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["client": .string(client)] }
}
