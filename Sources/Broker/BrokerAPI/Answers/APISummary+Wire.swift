public import FlowModel
public import OAuth

extension APISummary: WireValue {
    /// Reads an API.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            api: try reader.string("api"),
            origins: reader.value["origins"]?.strings ?? [],
            scopes: reader.value["scopes"]?.strings ?? [],
            policy: reader.value["policy"]?.string
        )
    }

    /// The API as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("api", api)
        object.set("origins", strings: origins)
        object.set("scopes", strings: scopes)
        object.set("policy", policy)
        return object.json
    }
}
