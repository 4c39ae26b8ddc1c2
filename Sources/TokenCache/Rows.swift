public import Foundation
public import Moments
public import OAuth

/// Somebody whom a uid of this machine has proved to be.
public struct AccountRow: Hashable, Sendable {
    /// 22 characters of base64url that say nothing about who it is.
    public let account: String
    /// The uid.
    public let uid: UInt32
    /// The authority: `local`, or the name of one outside.
    public let authority: String
    /// The person's id at the authority.
    public let subject: String
    /// The sign-in name.
    public let username: String
    /// What to call the person.
    public let displayName: String?
    /// The policies that the person signed in with.
    public let policies: [String]
    /// The policy that the person signed in with last.
    public let lastPolicy: String
    /// When a token of it was last given out, in milliseconds since 1970 UTC.
    public let lastUsed: Int64
    /// When the row was made, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// Whether it is meant where the uid has several and none is named; at most one is.
    public let isDefault: Bool
}

/// An account that is to be there.
public struct AccountUpsert: Hashable, Sendable {
    /// The uid.
    public let uid: UInt32
    /// The authority.
    public let authority: String
    /// The person's id at the authority.
    public let subject: String
    /// The sign-in name.
    public let username: String
    /// What to call the person.
    public let displayName: String?
    /// The policy that the person signed in with.
    public let policy: String

    /// An account that is to be there.
    public init(
        uid: UInt32,
        authority: String = "local",
        subject: String,
        username: String,
        displayName: String?,
        policy: String
    ) {
        self.uid = uid
        self.authority = authority
        self.subject = subject
        self.username = username
        self.displayName = displayName
        self.policy = policy
    }
}

/// An access token with what must be known to give it out.
public struct TokenRow: Hashable, Sendable {
    /// The uid.
    public let uid: UInt32
    /// The account.
    public let account: String
    /// The program it was issued to.
    public let client: String
    /// The authority that issued it.
    public let authority: String
    /// The policy it was issued by.
    public let policy: String
    /// The API it is for.
    public let resource: String
    /// What it allows at that API: short names.
    public let scopes: [String]
    /// The token; sealed.
    public let accessToken: Secret
    /// The ID token that came with it; sealed.
    public let idToken: Secret?
    /// When it ends.
    public let expires: Deadline
    /// When it ends, in milliseconds since 1970 UTC, as the token says.
    public let expiresAt: Int64
    /// The authentication context that was reached.
    public let acr: String
    /// The authentication methods (RFC 8176).
    public let amr: [String]
    /// When the person proved who they are, in milliseconds since 1970 UTC.
    public let authTime: Int64
    /// The claims of the ID token, as JSON; sealed.
    public let claims: Data
    /// The sign-in name.
    public let username: String

    /// An access token.
    public init(
        uid: UInt32,
        account: String,
        client: String,
        authority: String = "local",
        policy: String,
        resource: String,
        scopes: [String],
        accessToken: Secret,
        idToken: Secret? = nil,
        expires: Deadline,
        expiresAt: Int64,
        acr: String,
        amr: [String],
        authTime: Int64,
        claims: Data,
        username: String
    ) {
        self.uid = uid
        self.account = account
        self.client = client
        self.authority = authority
        self.policy = policy
        self.resource = resource
        self.scopes = scopes
        self.accessToken = accessToken
        self.idToken = idToken
        self.expires = expires
        self.expiresAt = expiresAt
        self.acr = acr
        self.amr = amr
        self.authTime = authTime
        self.claims = claims
        self.username = username
    }
}

/// A refresh token with what it is for.
public struct RefreshTokenRow: Hashable, Sendable {
    /// The program it was issued to.
    public let client: String
    /// The policy it was issued by.
    public let policy: String
    /// The token; sealed.
    public let token: Secret
    /// When it ends.
    public let expires: Deadline

    /// A refresh token.
    public init(client: String, policy: String, token: Secret, expires: Deadline) {
        self.client = client
        self.policy = policy
        self.token = token
        self.expires = expires
    }
}

/// Which tokens are asked for.
public struct TokenQuery: Hashable, Sendable {
    /// The uid.
    public let uid: UInt32
    /// The account; nil for all of the uid.
    public let account: String?
    /// The program.
    public let client: String
    /// The authority.
    public let authority: String
    /// The policy; nil for any.
    public let policy: String?
    /// The API; nil for any.
    public let resource: String?
    /// What the token must allow at least.
    public let scopes: [String]

    /// Which tokens are asked for.
    public init(
        uid: UInt32,
        account: String? = nil,
        client: String,
        authority: String = "local",
        policy: String? = nil,
        resource: String? = nil,
        scopes: [String]
    ) {
        self.uid = uid
        self.account = account
        self.client = client
        self.authority = authority
        self.policy = policy
        self.resource = resource
        self.scopes = scopes
    }
}

/// What is written together after tokens were issued.
public struct StoreUnit: Hashable, Sendable {
    /// The account.
    public let account: AccountUpsert
    /// The access token.
    public let token: TokenRow?
    /// The refresh token.
    public let refreshToken: RefreshTokenRow?

    /// What is written together.
    public init(account: AccountUpsert, token: TokenRow? = nil, refreshToken: RefreshTokenRow? = nil) {
        self.account = account
        self.token = token
        self.refreshToken = refreshToken
    }
}

/// A token that was given out, for the account's ``AccountRow/lastUsed``.
public struct AccountUse: Hashable, Sendable {
    /// The uid.
    public let uid: UInt32
    /// The account.
    public let account: String
    /// When, in milliseconds since 1970 UTC.
    public let at: Int64

    /// A token that was given out.
    public init(uid: UInt32, account: String, at: Int64) {
        self.uid = uid
        self.account = account
        self.at = at
    }
}
