public import FlowModel
public import OAuth

extension CheckStatus: WireValue {
    /// Reads a state.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        guard let state = State(rawValue: try reader.string("state")) else { throw UnreadableAnswer("state") }
        self.init(
            check: try reader.string("check"),
            state: state,
            expiresAt: reader.value["expiresAt"]?.int,
            retryAfterMs: reader.value["retryAfterMs"]?.int
        )
    }

    /// The state as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("check", check)
        object.set("state", state.rawValue)
        object.set("expiresAt", expiresAt)
        object.set("retryAfterMs", retryAfterMs)
        return object.json
    }
}
