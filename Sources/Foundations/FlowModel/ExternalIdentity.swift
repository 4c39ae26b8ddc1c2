public import OAuth

/// A person as a custom identity provider knows them: its `userIdentity`.
public struct ExternalIdentity: Hashable, Sendable, Codable {
    /// The realm of the provider.
    public let realm: String
    /// The name that is the person's own in the realm: `userName`.
    public let userName: String
    /// The name for people, if the provider says one.
    public let displayName: String?
    /// Whatever else the provider says.
    public let attributes: [String: JSONValue]

    /// A person as a provider knows them.
    public init(realm: String, userName: String, displayName: String?, attributes: [String: JSONValue]) {
        self.realm = realm
        self.userName = userName
        self.displayName = displayName
        self.attributes = attributes
    }

    /// The claim `imf.user`, as resource servers of custom identity providers read it.
    public var claim: JSONValue {
        [
            "id": .string(userName), "displayName": displayName.map { .string($0) } ?? .null, "authBy": .string(realm),
            "attributes": .object(attributes),
        ]
    }

    /// Reads the claim `imf.user`; nil if a member is missing.
    public init?(claim: JSONValue) {
        guard let userName = claim["id"]?.string, let realm = claim["authBy"]?.string else { return nil }
        self.init(
            realm: realm,
            userName: userName,
            displayName: claim["displayName"]?.string,
            attributes: claim["attributes"]?.object ?? [:]
        )
    }
}

extension ExternalIdentity: JSONConvertible {
    /// Reads an identity; nil if a member is missing.
    public init?(json: JSONValue) {
        guard let realm = json["realm"]?.string, let userName = json["userName"]?.string else { return nil }
        self.init(
            realm: realm,
            userName: userName,
            displayName: json["displayName"]?.string,
            attributes: json["attributes"]?.object ?? [:]
        )
    }

    /// The members as `encode(to:)` names them.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["realm": .string(realm), "userName": .string(userName)]
        members["displayName"] = displayName.map { .string($0) }
        members["attributes"] = .object(attributes)
        return .object(members)
    }
}
