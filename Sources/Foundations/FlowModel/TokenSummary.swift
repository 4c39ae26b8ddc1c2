/// The facts about one cached token; never the token.
public struct TokenSummary: Hashable, Sendable {
    /// The account it belongs to.
    public let account: String
    /// The account's sign-in name.
    public let username: String
    /// The client it was issued to.
    public let client: String
    /// The authority that issued it.
    public let authority: String
    /// The policy that issued it.
    public let policy: String
    /// Its audience.
    public let resource: String
    /// Its scopes.
    public let scopes: [String]
    /// The end of its life, in milliseconds since 1970 UTC.
    public let expiresAt: Int64
    /// The authentication context it was issued under.
    public let acr: String
    /// The authentication methods (RFC 8176).
    public let amr: [String]
    /// Time at which the person proved who they are, in milliseconds since 1970 UTC.
    public let authTime: Int64

    /// The facts about one cached token.
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
