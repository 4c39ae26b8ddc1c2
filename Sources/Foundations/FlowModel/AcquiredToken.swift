public import OAuth

/// A bearer token and its metadata.
public struct AcquiredToken: Hashable, Sendable {
    /// The access token, to be sent as a bearer token (RFC 6750).
    public let accessToken: Secret
    /// The time of expiry, in milliseconds since 1970 UTC.
    public let expiresAt: Int64
    /// The granted scopes, which can be fewer than requested.
    public let scopes: [String]
    /// The opaque id of the account.
    public let account: String
    /// The account's sign-in name.
    public let username: String
    /// The authentication context that the token was issued with (`acr`).
    public let acr: String
    /// The authentication methods that the user used (RFC 8176).
    public let amr: [String]
    /// The time of the user's authentication, in milliseconds since 1970 UTC.
    public let authTime: Int64
    /// The claims of the ID token.
    public let claims: JSONValue
    /// The policy under which the token was issued.
    public let policy: String
    /// The id that links the response to log lines and audit events.
    public let correlationID: String
    /// Whether the token came from the cache.
    public let fromCache: Bool
    /// Whether the token is now stored in the cache.
    public let cached: Bool

    /// Creates a token with its metadata.
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
