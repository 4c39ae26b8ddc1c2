public import FlowModel
public import OAuth

extension AcquiredToken: WireValue {
    /// Reads a token.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            accessToken: Secret(try reader.string("accessToken")),
            expiresAt: try reader.int("expiresAt"),
            scopes: try reader.strings("scopes"),
            account: try reader.string("account"),
            username: try reader.string("username"),
            acr: reader.value["acr"]?.string ?? "",
            amr: reader.value["amr"]?.strings ?? [],
            authTime: reader.value["authTime"]?.int ?? 0,
            claims: reader.value["claims"] ?? [:],
            policy: try reader.string("policy"),
            correlationID: reader.value["correlationId"]?.string ?? "",
            fromCache: reader.value["fromCache"]?.bool ?? false,
            cached: reader.value["cached"]?.bool ?? false
        )
    }

    /// The token as it is written: the one place where its secret is revealed to the peer.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("accessToken", accessToken.reveal())
        object.set("tokenType", "Bearer")
        object.set("expiresAt", expiresAt)
        object.set("scopes", strings: scopes)
        object.set("account", account)
        object.set("username", username)
        object.set("acr", acr)
        object.set("amr", strings: amr)
        object.set("authTime", authTime)
        object.set("claims", claims)
        object.set("policy", policy)
        object.set("correlationId", correlationID)
        object.set("fromCache", fromCache)
        object.set("cached", cached)
        return object.json
    }
}
