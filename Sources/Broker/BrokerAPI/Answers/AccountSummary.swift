public import FlowModel
public import OAuth

extension AccountSummary: WireValue {
    /// Reads an account.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            account: try reader.string("account"),
            username: try reader.string("username"),
            displayName: reader.value["displayName"]?.string ?? "",
            authority: reader.value["authority"]?.string ?? "local",
            policies: reader.value["policies"]?.strings ?? [],
            lastUsed: reader.value["lastUsed"]?.int ?? 0,
            isDefault: reader.value["default"]?.bool ?? false
        )
    }

    /// The account as it is written.
    public var json: JSONValue {
        [
            "account": .string(account), "username": .string(username), "displayName": .string(displayName),
            "authority": .string(authority), "policies": .array(policies.map(JSONValue.string)),
            "lastUsed": .int(lastUsed), "default": .bool(isDefault),
        ]
    }
}
