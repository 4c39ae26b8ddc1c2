public import FlowModel
public import OAuth

extension KeySummary: WireValue {
    /// Reads a key's description.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            kid: try reader.string("kid"),
            alg: try reader.string("alg"),
            state: try reader.string("state"),
            publishedAt: reader.value["publishedAt"]?.int ?? 0,
            activeFrom: reader.value["activeFrom"]?.int,
            retiredAt: reader.value["retiredAt"]?.int,
            removeAt: reader.value["removeAt"]?.int
        )
    }

    /// The description as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("kid", kid)
        object.set("alg", alg)
        object.set("state", state)
        object.set("publishedAt", publishedAt)
        object.set("activeFrom", activeFrom)
        object.set("retiredAt", retiredAt)
        object.set("removeAt", removeAt)
        return object.json
    }
}
