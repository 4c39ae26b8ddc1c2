public import OAuth

/// One signing key of the authority; never the key.
public struct KeySummary: WireValue, Hashable {
    /// Its id, the thumbprint of RFC 7638.
    public let kid: String
    /// What it signs with.
    public let alg: String
    /// `published`, `active`, `retired` or `revoked`.
    public let state: String
    /// When it was first shown, in milliseconds since 1970 UTC.
    public let publishedAt: Int64
    /// From when on it signs, in milliseconds since 1970 UTC.
    public let activeFrom: Int64?
    /// Since when it signs no more, in milliseconds since 1970 UTC.
    public let retiredAt: Int64?
    /// When it is no longer shown, in milliseconds since 1970 UTC.
    public let removeAt: Int64?

    /// One signing key.
    public init(
        kid: String,
        alg: String,
        state: String,
        publishedAt: Int64,
        activeFrom: Int64? = nil,
        retiredAt: Int64? = nil,
        removeAt: Int64? = nil
    ) {
        self.kid = kid
        self.alg = alg
        self.state = state
        self.publishedAt = publishedAt
        self.activeFrom = activeFrom
        self.retiredAt = retiredAt
        self.removeAt = removeAt
    }

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
