public import JSONRPC
public import OAuth

/// `client.remove`: takes a client away; operators only.
public struct ClientRemove: BrokerMethod {
    /// What it answers.
    public typealias Answer = Removal

    /// On the wire.
    public static let name = "client.remove"
    /// For `rpc.discover`.
    public static let summary = "Removes a client and ends what it was given."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("client")]
    /// It changes something.
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
