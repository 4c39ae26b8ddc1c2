public import FlowModel
public import OAuth

extension TokenSummary: WireValue {
    /// Reads a token's description.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            account: try reader.string("account"),
            username: reader.value["username"]?.string ?? "",
            client: try reader.string("client"),
            authority: reader.value["authority"]?.string ?? "local",
            policy: try reader.string("policy"),
            resource: reader.value["resource"]?.string ?? "",
            scopes: try reader.strings("scopes"),
            expiresAt: try reader.int("expiresAt"),
            acr: reader.value["acr"]?.string ?? "",
            amr: reader.value["amr"]?.strings ?? [],
            authTime: reader.value["authTime"]?.int ?? 0
        )
    }

    /// The description as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("account", account)
        object.set("username", username)
        object.set("client", client)
        object.set("authority", authority)
        object.set("policy", policy)
        object.set("resource", resource)
        object.set("scopes", strings: scopes)
        object.set("expiresAt", expiresAt)
        object.set("acr", acr)
        object.set("amr", strings: amr)
        object.set("authTime", authTime)
        return object.json
    }
}
