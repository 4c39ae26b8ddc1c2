public import FlowModel
public import OAuth

extension PolicySummary: WireValue {
    /// Reads a policy.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            policy: try reader.string("policy"),
            kind: try reader.string("kind"),
            displayName: reader.value["displayName"]?.string ?? "",
            issuer: reader.value["issuer"]?.string ?? "",
            available: reader.value["available"]?.bool ?? true,
            missing: reader.value["missing"]?.string,
            scopes: reader.value["scopes"]?.strings ?? [],
            providers: reader.value["providers"]?.strings ?? []
        )
    }

    /// The policy as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("policy", policy)
        object.set("kind", kind)
        object.set("displayName", displayName)
        object.set("issuer", issuer)
        object.set("available", available)
        object.set("missing", missing)
        object.set("scopes", strings: scopes)
        object.set("providers", strings: providers)
        return object.json
    }
}
