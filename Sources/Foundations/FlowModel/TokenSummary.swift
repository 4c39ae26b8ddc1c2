/// The metadata of a cached token, without the token itself.
public struct TokenSummary: Hashable, Sendable {
    /// The opaque id of the account.
    public let account: String
    /// The account's sign-in name.
    public let username: String
    /// The client that the token was issued to.
    public let client: String
    /// The authority that issued the token.
    public let authority: String
    /// The policy that issued the token.
    public let policy: String
    /// The audience (`aud`) of the token.
    public let resource: String
    /// The granted scopes, which can be fewer than the requested scopes.
    public let scopes: [String]
    /// The time at which the token expires, in milliseconds since 1970 UTC.
    public let expiresAt: Int64
    /// The authentication context class of the user's authentication (`acr`).
    public let acr: String
    /// The methods by which the user authenticated (`amr`, RFC 8176).
    public let amr: [String]
    /// The time at which the user authenticated, in milliseconds since 1970 UTC.
    public let authTime: Int64

    /// Creates the metadata of a cached token.
    public init(
        account: String,
        username: String,
        client: String,
        authority: String,
        policy: String,
        resource: String,
        scopes: [String],
        expiresAt: Int64,
        acr: String,
        amr: [String],
        authTime: Int64
    ) {
        self.account = account
        self.username = username
        self.client = client
        self.authority = authority
        self.policy = policy
        self.resource = resource
        self.scopes = scopes
        self.expiresAt = expiresAt
        self.acr = acr
        self.amr = amr
        self.authTime = authTime
    }
}
