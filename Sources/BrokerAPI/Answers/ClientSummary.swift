public import OAuth

/// One registered client.
public struct ClientSummary: WireValue, Hashable {
    /// Its id.
    public let client: String
    /// What people call it.
    public let name: String
    /// `public` or `confidential`.
    public let type: String
    /// Where answers may be sent (RFC 6749 §3.1.2).
    public let redirectURIs: [String]
    /// What it may ask for.
    public let scopes: [String]
    /// The audience of tokens that are asked for by the client's own id.
    public let audience: String?
    /// Whether it stands in the configuration, so that no method changes it.
    public let configured: Bool

    /// One registered client.
    public init(
        client: String,
        name: String,
        type: String,
        redirectURIs: [String],
        scopes: [String],
        audience: String?,
        configured: Bool
    ) {
        self.client = client
        self.name = name
        self.type = type
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.audience = audience
        self.configured = configured
    }

    /// Reads a client.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            client: try reader.string("client"),
            name: reader.value["name"]?.string ?? "",
            type: try reader.string("type"),
            redirectURIs: reader.value["redirectURIs"]?.strings ?? [],
            scopes: reader.value["scopes"]?.strings ?? [],
            audience: reader.value["audience"]?.string,
            configured: reader.value["configured"]?.bool ?? false
        )
    }

    /// The client as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("client", client)
        object.set("name", name)
        object.set("type", type)
        object.set("redirectURIs", strings: redirectURIs)
        object.set("scopes", strings: scopes)
        object.set("audience", audience)
        object.set("configured", configured)
        return object.json
    }
}
