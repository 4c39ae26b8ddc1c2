public import Foundation
public import Moments
public import OAuth

/// A person whom a uid of this machine has proved to be.
public struct AccountRow: Hashable, Sendable {
    /// 22 characters of base64url that do not reveal the person.
    public let account: String
    /// The uid.
    public let uid: UInt32
    /// The authority: `local`, or the name of an outside one.
    public let authority: String
    /// The person's id at the authority.
    public let subject: String
    /// The sign-in name.
    public let username: String
    /// The name to show, if known.
    public let displayName: String?
    /// The policies that the person signed in with.
    public let policies: [String]
    /// The policy that the person signed in with last.
    public let lastPolicy: String
    /// Time at which one of its tokens was last given out, in milliseconds since 1970 UTC.
    public let lastUsed: Int64
    /// Time of the row's creation, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// True for the account that is used if none is named; at most one of a uid.
    public let isDefault: Bool
}

/// An account to be written.
public struct AccountUpsert: Hashable, Sendable {
    /// The uid.
    public let uid: UInt32
    /// The authority.
    public let authority: String
    /// The person's id at the authority.
    public let subject: String
    /// The sign-in name.
    public let username: String
    /// The name to show, if known.
    public let displayName: String?
    /// The policy that the person signed in with, or that gave a token.
    public let policy: String
    /// True if the person has just signed in: only that makes ``policy`` the account's own.
    public let isSignIn: Bool
    /// False for a renewal that no caller has asked for: ``AccountRow/lastUsed`` of an account that is there stays.
    public let isUse: Bool

    /// An account to be written.
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

/// An access token with the facts needed to give it out.
public struct TokenRow: Hashable, Sendable {
    /// The uid.
    public let uid: UInt32
    /// The account.
    public let account: String
    /// The client it was issued to.
    public let client: String
    /// The authority that issued it.
    public let authority: String
    /// The policy it was issued by.
    public let policy: String
    /// The API it is for.
    public let resource: String
    /// The scopes it has at that API: short names.
    public let scopes: [String]
    /// The token; sealed.
    public let accessToken: Secret
    /// The ID token that came with it; sealed.
    public let idToken: Secret?
    /// The end of its life, as a deadline of this machine.
    public let expires: Deadline
    /// The end of its life, in milliseconds since 1970 UTC, as the token says.
    public let expiresAt: Int64
    /// The authentication context that was reached.
    public let acr: String
    /// The authentication methods (RFC 8176).
    public let amr: [String]
    /// Time at which the person proved who they are, in milliseconds since 1970 UTC.
    public let authTime: Int64
    /// The claims of the ID token, as JSON; sealed.
    public let claims: Data
    /// The sign-in name.
    public let username: String
    /// Time at which an outside authority issued it, in milliseconds since 1970 UTC; nil for our own.
    public let receivedAt: Int64?
    /// False for a token that the cache could not take.
    public var isKept = true

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

/// A refresh token with the client and policy it is bound to.
public struct RefreshTokenRow: Hashable, Sendable {
    /// The client it was issued to.
    public let client: String
    /// The policy it was issued by.
    public let policy: String
    /// The token; sealed.
    public let token: Secret
    /// The end of its life.
    public let expires: Deadline

    /// A refresh token.
    public init(client: String, policy: String, token: Secret, expires: Deadline) {
        self.client = client
        self.policy = policy
        self.token = token
        self.expires = expires
    }
}

/// A selection of cached access tokens.
public struct TokenQuery: Hashable, Sendable {
    /// The uid.
    public let uid: UInt32
    /// The account; nil for all of the uid.
    public let account: String?
    /// The client.
    public let client: String
    /// The authority.
    public let authority: String
    /// The policy; nil for any.
    public let policy: String?
    /// The API; nil for any.
    public let resource: String?
    /// The scopes that the token must have; it may have more.
    public let scopes: [String]

    /// Selects access tokens of a uid.
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

/// An account and tokens that are written in one transaction.
public struct StoreUnit: Hashable, Sendable {
    /// The account.
    public let account: AccountUpsert
    /// The access token.
    public let token: TokenRow?
    /// The refresh token.
    public let refreshToken: RefreshTokenRow?

    /// An account and tokens that are written in one transaction.
    public init(account: AccountUpsert, token: TokenRow? = nil, refreshToken: RefreshTokenRow? = nil) {
        self.account = account
        self.token = token
        self.refreshToken = refreshToken
    }

    /// The account as its row would be, for tokens that the cache could not take.
    ///
    /// - Parameters:
    ///   - id: The account's id.
    ///   - now: The time, in milliseconds since 1970 UTC.
    /// - Returns: The row.
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

/// A use of an account, for its ``AccountRow/lastUsed``.
public struct AccountUse: Hashable, Sendable {
    /// The uid.
    public let uid: UInt32
    /// The account.
    public let account: String
    /// Time of use, in milliseconds since 1970 UTC.
    public let at: Int64

    /// A use of an account.
    public init(uid: UInt32, account: String, at: Int64) {
        self.uid = uid
        self.account = account
        self.at = at
    }
}
