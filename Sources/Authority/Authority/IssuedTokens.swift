import AuthorityStore
public import FlowModel
public import Moments
public import OAuth
public import Policies

/// The tokens issued for a recorded grant.
public struct IssuedTokens: Sendable {
    /// The access token (RFC 9068).
    public let accessToken: Secret
    /// When the access token expires.
    public let expires: Deadline
    /// The scopes of the access token, sorted and without the API's name.
    public let scopes: [String]
    /// The `aud` claim of the access token.
    public let audience: String
    /// The authentication context that the user's authentication satisfied (`acr`).
    public let acr: String
    /// The authentication methods that were used (RFC 8176).
    public let amr: [String]
    /// When the user authenticated, in milliseconds since 1970 UTC, or 0 if the time is unknown.
    public let authTime: Int64
    /// The claims of the ID token, as a JSON object.
    public let claims: JSONValue
    /// The ID token (OpenID Connect Core §2).
    public let idToken: Secret
    /// The opaque refresh token.
    public let refreshToken: Secret
    /// When the refresh token expires.
    public let refreshExpires: Deadline
    /// The id of the refresh token's family.
    public let family: String
    /// The user that the tokens were issued for.
    public let user: NamedUser
    /// The value of `preferred_username`, also if the ID token does not contain the claim.
    public let preferredUsername: String
    /// The policy that issued the tokens.
    public let policy: PolicyID
    /// The id of the client that the tokens were issued to.
    public let client: String
    /// The `iss` claim of the tokens.
    public let issuer: String

    /// When the access token expires, in milliseconds since 1970 UTC.
    public var expiresAt: Int64 { expires.wall }
}

/// A user with a live session.
public struct SignedIn: Hashable, Sendable {
    /// The user's id and names.
    public let user: NamedUser
    /// The id of the policy that created the session.
    public let policy: String
}

/// A user's id and names.
public struct NamedUser: Hashable, Sendable {
    /// The user's object id.
    public let id: UserID
    /// The user's sign-in name.
    public let username: String
    /// The name to display.
    public let displayName: String

    /// Creates a user from an id and names.
    public init(id: UserID, username: String, displayName: String) {
        self.id = id
        self.username = username
        self.displayName = displayName
    }

    init(_ user: UserRecord) {
        self.init(id: user.id, username: user.username, displayName: user.displayName ?? user.username)
    }
}
