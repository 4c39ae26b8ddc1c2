public import FlowModel
public import OAuth

extension ClientSummary: WireValue {
    /// Reads a client.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            client: try reader.string("client"),
            name: reader.value["name"]?.string ?? "",
            type: try ClientType(reader),
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
        object.set("type", type.rawValue)
        object.set("redirectURIs", strings: redirectURIs)
        object.set("scopes", strings: scopes)
        object.set("audience", audience)
        object.set("configured", configured)
        return object.json
    }
}

extension ClientType {
    /// Reads the member `type`.
    fileprivate init(_ reader: WireReader) throws(UnreadableAnswer) {
        guard let type = ClientType(rawValue: try reader.string("type")) else { throw UnreadableAnswer("type") }
        self = type
    }
}
