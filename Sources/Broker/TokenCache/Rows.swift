public import Foundation
public import Moments
public import OAuth

/// A user's account in the cache of one uid.
public struct AccountRow: Hashable, Sendable {
    /// The account's id, which consists of 22 base64url characters and does not reveal who the user is.
    public let account: String
    /// The uid that the account belongs to.
    public let uid: UInt32
    /// The name of the account's authority, which is `local` unless the authority is external.
    public let authority: String
    /// The user's id at the authority.
    public let subject: String
    /// The user's sign-in name.
    public let username: String
    /// The user's display name, or `nil` if it is unknown.
    public let displayName: String?
    /// The policies that the user has signed in with.
    public let policies: [String]
    /// The policy that the user last signed in with.
    public let lastPolicy: String
    /// When one of the account's tokens was last returned to a caller, in milliseconds since 1970 UTC.
    public let lastUsed: Int64
    /// When the row was created, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// Whether this is the uid's default account, which is used if a call specifies no account.
    public let isDefault: Bool
}

/// An account to insert or update.
public struct AccountUpsert: Hashable, Sendable {
    /// The uid that the account belongs to.
    public let uid: UInt32
    /// The name of the account's authority, which is `local` unless the authority is external.
    public let authority: String
    /// The user's id at the authority.
    public let subject: String
    /// The user's sign-in name.
    public let username: String
    /// The user's display name, or `nil` if it is unknown.
    public let displayName: String?
    /// The policy that the user signed in with, or under which a token was issued.
    public let policy: String
    /// Whether the user has just signed in, which updates ``AccountRow/lastPolicy`` of an existing account.
    public let isSignIn: Bool
    /// Whether a caller requested the account's token, which updates ``AccountRow/lastUsed`` of an existing account.
    public let isUse: Bool

    /// Creates an account to insert or update.
    public init(
        uid: UInt32,
        authority: String = "local",
        subject: String,
        username: String,
        displayName: String?,
        policy: String,
        isSignIn: Bool = true,
        isUse: Bool = true
    ) {
        self.isSignIn = isSignIn
        self.isUse = isUse
        self.uid = uid
        self.authority = authority
        self.subject = subject
        self.username = username
        self.displayName = displayName
        self.policy = policy
    }
}

/// An access token, with the information needed to return the token to a caller.
public struct TokenRow: Hashable, Sendable {
    /// The uid that the account belongs to.
    public let uid: UInt32
    /// The id of the account that the token belongs to.
    public let account: String
    /// The `client_id` of the client that the token was issued to.
    public let client: String
    /// The name of the authority that issued the token, which is `local` unless the authority is external.
    public let authority: String
    /// The policy under which the token was issued.
    public let policy: String
    /// The API that the token was issued for.
    public let resource: String
    /// The short names of the granted scopes, all of which belong to the API in ``resource``.
    public let scopes: [String]
    /// The access token, which is encrypted in the database.
    public let accessToken: Secret
    /// The ID token issued with the access token, encrypted in the database, or `nil` if there was none.
    public let idToken: Secret?
    /// When the token expires, according to this machine's clocks.
    public let expires: Deadline
    /// The expiry time that the authority stated, in milliseconds since 1970 UTC.
    public let expiresAt: Int64
    /// The authentication context class (`acr`) that the sign-in satisfied.
    public let acr: String
    /// The methods by which the user was authenticated (`amr`, RFC 8176).
    public let amr: [String]
    /// When the user was authenticated, in milliseconds since 1970 UTC.
    public let authTime: Int64
    /// The claims of the ID token as JSON, encrypted in the database.
    public let claims: Data
    /// The user's sign-in name.
    public let username: String
    /// When an external authority issued the token, in milliseconds since 1970 UTC, or `nil` for a local token.
    public let receivedAt: Int64?
    /// Whether the token is in the cache, or `false` if it was issued but could not be stored.
    public var isKept = true

    /// Creates an access token's row.
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
        username: String,
        receivedAt: Int64? = nil
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
        self.receivedAt = receivedAt
    }
}

/// A refresh token, with the client and policy that it is bound to.
public struct RefreshTokenRow: Hashable, Sendable {
    /// The `client_id` of the client that the token was issued to.
    public let client: String
    /// The policy under which the token was issued.
    public let policy: String
    /// The refresh token, which is encrypted in the database.
    public let token: Secret
    /// When the token expires, according to this machine's clocks.
    public let expires: Deadline

    /// Creates a refresh token's row.
    public init(client: String, policy: String, token: Secret, expires: Deadline) {
        self.client = client
        self.policy = policy
        self.token = token
        self.expires = expires
    }
}

/// A query for cached access tokens.
public struct TokenQuery: Hashable, Sendable {
    /// The uid that the accounts belong to.
    public let uid: UInt32
    /// The id of the account, or `nil` for all accounts of the uid.
    public let account: String?
    /// The `client_id` of the client that the tokens were issued to.
    public let client: String
    /// The name of the authority that issued the tokens.
    public let authority: String
    /// The policy under which the tokens were issued, or `nil` for any policy.
    public let policy: String?
    /// The API that the tokens were issued for, or `nil` for any API.
    public let resource: String?
    /// The scopes that a token must contain, possibly among additional scopes.
    public let scopes: [String]

    /// Creates a query for a uid's access tokens.
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

/// An account and its tokens, which are stored in one transaction.
public struct StoreUnit: Hashable, Sendable {
    /// The account to write.
    public let account: AccountUpsert
    /// The access token to write, or `nil` if there is none.
    public let token: TokenRow?
    /// The refresh token to write, or `nil` if there is none.
    public let refreshToken: RefreshTokenRow?

    /// Creates a unit that consists of an account and its tokens.
    public init(account: AccountUpsert, token: TokenRow? = nil, refreshToken: RefreshTokenRow? = nil) {
        self.account = account
        self.token = token
        self.refreshToken = refreshToken
    }

    /// Returns the row that the account with the given id would have if the cache had stored this unit.
    public func row(of id: String, at now: Int64) -> AccountRow {
        AccountRow(
            account: id,
            uid: account.uid,
            authority: account.authority,
            subject: account.subject,
            username: account.username,
            displayName: account.displayName,
            policies: [account.policy],
            lastPolicy: account.policy,
            lastUsed: now,
            createdAt: now,
            isDefault: false
        )
    }
}

/// A use of an account, which updates the account's ``AccountRow/lastUsed``.
public struct AccountUse: Hashable, Sendable {
    /// The uid that the account belongs to.
    public let uid: UInt32
    /// The id of the account.
    public let account: String
    /// When the account was used, in milliseconds since 1970 UTC.
    public let at: Int64

    /// Creates a record of an account's use.
    public init(uid: UInt32, account: String, at: Int64) {
        self.uid = uid
        self.account = account
        self.at = at
    }
}
