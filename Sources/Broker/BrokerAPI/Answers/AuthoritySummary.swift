public import FlowModel
public import OAuth

extension AuthoritySummary: NamedValue {
    /// The member that holds one authority.
    public static var nameOfOne: String { "authority" }
    /// The member that holds a list of authorities.
    public static var nameOfMany: String { "authorities" }

    /// Reads an authority.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            name: try reader.string("name"),
            displayName: reader.value["displayName"]?.string ?? "",
            url: try reader.string("url"),
            clientID: try reader.string("clientId"),
            scopes: reader.value["scopes"]?.strings ?? [],
            isOwn: reader.value["own"]?.bool ?? false,
            found: try reader.optional("found")
        )
    }

    /// The authority as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("name", name)
        object.set("displayName", displayName)
        object.set("url", url)
        object.set("clientId", clientID)
        object.set("scopes", strings: scopes)
        object.set("own", isOwn)
        object.set("found", found?.json)
        return object.json
    }
}

extension AuthorityAbilities: WireValue {
    /// Reads what an authority can do.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            identifies: try reader.bool("idTokens"),
            keepsSignedIn: try reader.bool("refreshTokens"),
            revokes: try reader.bool("revokes"),
            endsSessions: try reader.bool("endsSessions"),
            scopes: reader.value["scopes"]?.strings ?? []
        )
    }

    /// The abilities as they are written.
    public var json: JSONValue {
        [
            "idTokens": .bool(identifies), "refreshTokens": .bool(keepsSignedIn), "revokes": .bool(revokes),
            "endsSessions": .bool(endsSessions), "scopes": .array(scopes.map { .string($0) }),
        ]
    }
}
