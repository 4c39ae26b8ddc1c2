public import OAuth

/// A user's identity at a custom identity provider, as stated by `userIdentity` in the provider's responses.
public struct ExternalIdentity: Hashable, Sendable, Codable {
    /// The provider's realm.
    public let realm: String
    /// The user name (`userName`), which is unique within the realm.
    public let userName: String
    /// The display name, or `nil` if the provider supplies none.
    public let displayName: String?
    /// All other attributes that the provider supplies.
    public let attributes: [String: JSONValue]

    /// Creates an identity from the data that the provider supplied.
    public init(realm: String, userName: String, displayName: String?, attributes: [String: JSONValue]) {
        self.realm = realm
        self.userName = userName
        self.displayName = displayName
        self.attributes = attributes
    }

    /// The identity as the claim `imf.user`, for resource servers that work with custom identity providers.
    public var claim: JSONValue {
        [
            "id": .string(userName), "displayName": displayName.map { .string($0) } ?? .null, "authBy": .string(realm),
            "attributes": .object(attributes),
        ]
    }

    /// Reads an identity from the claim `imf.user`, or returns `nil` if a required member is missing.
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
    /// Reads an identity from a JSON object, or returns `nil` if a required member is missing.
    public init?(json: JSONValue) {
        guard let realm = json["realm"]?.string, let userName = json["userName"]?.string else { return nil }
        self.init(
            realm: realm,
            userName: userName,
            displayName: json["displayName"]?.string,
            attributes: json["attributes"]?.object ?? [:]
        )
    }

    /// The identity as a JSON object, with the member names that `encode(to:)` uses.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["realm": .string(realm), "userName": .string(userName)]
        members["displayName"] = displayName.map { .string($0) }
        members["attributes"] = .object(attributes)
        return .object(members)
    }
}
