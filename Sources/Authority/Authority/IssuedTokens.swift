import AuthorityStore
public import FlowModel
public import Moments
public import OAuth
public import Policies

/// The tokens of a grant; it is recorded before they are handed out.
public struct IssuedTokens: Sendable {
    /// The access token (RFC 9068).
    public let accessToken: Secret
    /// The end of the access token.
    public let expires: Deadline
    /// The scopes of the access token, short, sorted.
    public let scopes: [String]
    /// `aud` of the access token.
    public let audience: String
    /// The authentication context that was reached.
    public let acr: String
    /// The methods that were used (RFC 8176).
    public let amr: [String]
    /// Time at which the person proved who they are, in milliseconds since 1970 UTC; 0 if nobody says.
    public let authTime: Int64
    /// The claims of the ID token, an object.
    public let claims: JSONValue
    /// The ID token (OpenID Connect Core §2).
    public let idToken: Secret
    /// The refresh token.
    public let refreshToken: Secret
    /// The end of the refresh token.
    public let refreshExpires: Deadline
    /// The family the refresh token belongs to.
    public let family: String
    /// The person they identify.
    public let user: NamedUser
    /// The policy that issued them.
    public let policy: PolicyID
    /// The client they were issued to.
    public let client: String
    /// `iss` of the tokens.
    public let issuer: String

    /// The end of the access token, in milliseconds since 1970 UTC.
    public var expiresAt: Int64 { expires.wall }
}

/// A person with a live session.
public struct SignedIn: Hashable, Sendable {
    /// The person.
    public let user: NamedUser
    /// The policy that made the session.
    public let policy: String
}

/// A person by id and names.
public struct NamedUser: Hashable, Sendable {
    /// The object id.
    public let id: UserID
    /// The sign-in name.
    public let username: String
    /// The name to show.
    public let displayName: String

    /// A person by id and names.
    public init(id: UserID, username: String, displayName: String) {
        self.id = id
        self.username = username
        self.displayName = displayName
    }

    init(_ user: UserRecord) {
        self.init(id: user.id, username: user.username, displayName: user.displayName ?? user.username)
    }
}
