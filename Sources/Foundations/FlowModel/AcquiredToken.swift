public import OAuth

/// A bearer token and the facts about it.
public struct AcquiredToken: Hashable, Sendable {
    /// The token.
    public let accessToken: Secret
    /// The end of its life, in milliseconds since 1970 UTC.
    public let expiresAt: Int64
    /// The granted scopes, which may be fewer than were requested.
    public let scopes: [String]
    /// The account it belongs to.
    public let account: String
    /// The account's sign-in name.
    public let username: String
    /// The authentication context it was issued under.
    public let acr: String
    /// The authentication methods (RFC 8176).
    public let amr: [String]
    /// Time at which the person proved who they are, in milliseconds since 1970 UTC.
    public let authTime: Int64
    /// The claims of the ID token.
    public let claims: JSONValue
    /// The policy that issued it.
    public let policy: String
    /// The id that the answer shares with logs and audit.
    public let correlationID: String
    /// True if it came from the cache.
    public let fromCache: Bool
    /// True if the cache holds it now.
    public let cached: Bool

    /// A bearer token.
    public init(
        accessToken: Secret,
        expiresAt: Int64,
        scopes: [String],
        account: String,
        username: String,
        acr: String,
        amr: [String],
        authTime: Int64,
        claims: JSONValue,
        policy: String,
        correlationID: String,
        fromCache: Bool,
        cached: Bool
    ) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.scopes = scopes
        self.account = account
        self.username = username
        self.acr = acr
        self.amr = amr
        self.authTime = authTime
        self.claims = claims
        self.policy = policy
        self.correlationID = correlationID
        self.fromCache = fromCache
        self.cached = cached
    }
}
