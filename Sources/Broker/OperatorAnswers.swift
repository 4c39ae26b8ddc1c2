public import OAuth

/// What `client.add` asks for.
public struct AddClientRequest: Hashable, Sendable {
    /// What people call it.
    public var name: String
    /// Whether it keeps a secret.
    public var isConfidential: Bool
    /// Where answers may go; exact, any port on loopback (RFC 8252 §7.3).
    public var redirectURIs: [String]
    /// What it may ask for; nothing means everything its APIs have.
    public var scopes: [String]
    /// The API it may ask for, by audience.
    public var audience: String?

    /// A public client called `name` without anything else.
    public init(name: String) {
        self.name = name
        isConfidential = false
        redirectURIs = []
        scopes = []
    }
}

/// An OAuth client as operators see it.
public struct ClientAnswer: Hashable, Sendable {
    /// The client id.
    public let id: String
    /// What people call it.
    public let name: String
    /// `public` or `confidential`.
    public let type: String
    /// Where answers may go.
    public let redirectURIs: [String]
    /// What it may ask for.
    public let scopes: [String]
    /// The API it may ask for.
    public let audience: String?
    /// Whether it stands in the configuration and is read-only here.
    public let isConfigured: Bool
    /// The secret, only in the answer to `client.add`.
    public let secret: Secret?
}

/// A person as operators see them.
public struct UserAnswer: Hashable, Sendable {
    /// The object id.
    public let id: String
    /// The sign-in names.
    public let signInNames: [String]
    /// What people call the person.
    public let displayName: String
    /// Whether the person may sign in.
    public let isEnabled: Bool
    /// When the account was made, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The attributes by name; only in the answer to `user.show`.
    public let attributes: [String: JSONValue]
    /// Live sessions; only in the answer to `user.show`.
    public let sessions: Int
    /// Live refresh-token families; only in the answer to `user.show`.
    public let families: Int
    /// The groups the person is in; only in the answer to `user.show`.
    public var groups: [String] = []
}

/// A signing key as operators see it.
public struct KeyAnswer: Hashable, Sendable {
    /// The key id (RFC 7638).
    public let kid: String
    /// The algorithm.
    public let alg: String
    /// `published`, `active`, `retired` or `revoked`.
    public let state: String
    /// When it was published, in milliseconds since 1970 UTC.
    public let publishedAt: Int64
    /// When it began or begins to sign.
    public let activeFrom: Int64?
    /// When it ceased to sign.
    public let retiredAt: Int64?
    /// When it is no longer published.
    public let removeAt: Int64?
}
