public import JSONRPC
public import OAuth

/// `client.add`: registers a client; operators only.
public struct ClientAdd: BrokerMethod {
    /// On the wire.
    public static let name = "client.add"
    /// For `rpc.discover`.
    public static let summary = "Registers a client and answers its id, and its secret once."
    /// The parameters.
    public static let fields: [Field] = [
        .required("name", .string(1...256)),
        Field("type", .choice(["public", "confidential"])),
        Field("redirectURIs", .list(.string(1...2048), 0...32)),
        .scopes("scopes"),
        .id("audience"),
    ]
    /// It changes something.
    public static var changesState: Bool { true }

    /// What people call it.
    public let name: String
    /// Whether it can keep a secret (RFC 6749 §2.1).
    public let isConfidential: Bool
    /// Where answers may be sent.
    public let redirectURIs: [String]
    /// What it may ask for.
    public let scopes: [String]
    /// The audience of tokens that are asked for by the client's own id.
    public let audience: String?

    /// A call.
    public init(
        name: String,
        isConfidential: Bool = false,
        redirectURIs: [String] = [],
        scopes: [String] = [],
        audience: String? = nil
    ) {
        self.name = name
        self.isConfidential = isConfidential
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.audience = audience
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        name = try members.required("name")
        isConfidential = members.string("type") == "confidential"
        redirectURIs = members.strings("redirectURIs")
        scopes = members.strings("scopes")
        audience = members.string("audience")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("name", name)
        object.set("type", isConfidential ? "confidential" : "public")
        object.set("redirectURIs", unlessEmpty: redirectURIs)
        object.set("scopes", unlessEmpty: scopes)
        object.set("audience", audience)
        return object.members
    }

    /// `{client, secret?}`.
    public struct Answer: WireValue, Hashable {
        /// The client as it is registered.
        public let client: ClientSummary
        /// What it proves itself with; shown this once.
        public let secret: Secret?

        /// A client that was registered.
        public init(client: ClientSummary, secret: Secret?) {
            self.client = client
            self.secret = secret
        }

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            client = try reader.one("client")
            secret = reader.value["secret"]?.string.map { Secret($0) }
        }

        /// The answer as it is written.
        public var json: JSONValue {
            var object = ObjectBuilder()
            object.set("client", client.json)
            object.set("secret", secret?.reveal())
            return object.json
        }
    }
}
