/// An account as its owner sees it.
public struct AccountAnswer: Hashable, Sendable {
    /// The opaque id.
    public let account: String
    /// The sign-in name.
    public let username: String
    /// What people call the person.
    public let displayName: String
    /// The authority: `local`.
    public let authority: String
    /// The policies it has signed in with.
    public let policies: [String]
    /// When it was last used, in milliseconds since 1970 UTC.
    public let lastUsed: Int64
}

/// A cached token without the token.
public struct CachedTokenAnswer: Hashable, Sendable {
    /// The opaque id of the account.
    public let account: String
    /// The sign-in name.
    public let username: String
    /// The client it was issued to.
    public let client: String
    /// The authority: `local`.
    public let authority: String
    /// The policy that issued it.
    public let policy: String
    /// Its audience.
    public let resource: String
    /// What it allows, in the short form.
    public let scopes: [String]
    /// When it ends, in milliseconds since 1970 UTC.
    public let expiresAt: Int64
    /// The authentication context that was reached.
    public let acr: String
    /// The methods that were used.
    public let amr: [String]
    /// When the person proved who they are, in milliseconds since 1970 UTC.
    public let authTime: Int64
}

/// What `session.signOut` asks for.
public struct SignOutRequest: Hashable, Sendable {
    /// Which accounts.
    public enum Which: Hashable, Sendable {
        /// One, by its opaque id.
        case account(String)
        /// All of the uid.
        case all
    }

    /// Which accounts.
    public let which: Which

    /// What `session.signOut` asks for; what was issued is always revoked.
    public init(_ which: Which) {
        self.which = which
    }
}

/// What `session.signOut` answers.
public struct SignOutAnswer: Hashable, Sendable {
    /// Cached tokens that are gone.
    public let tokens: Int
    /// Sessions that have ended.
    public let sessions: Int
    /// Flows that were cancelled.
    public let flows: Int
    /// What could not be ended yet; it is tried again.
    public let left: [String]
}
