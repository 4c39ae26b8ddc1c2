/// An account that was used to sign in under the caller's uid.
public struct AccountSummary: Hashable, Sendable {
    /// The opaque account id.
    public let account: String
    /// The sign-in name.
    public let username: String
    /// The name that users see.
    public let displayName: String
    /// The authority that the account belongs to (`local` for the daemon's own authority).
    public let authority: String
    /// The policies that the user signed in with.
    public let policies: [String]
    /// The time of the last request for one of the account's tokens, in milliseconds since 1970 UTC.
    public let lastUsed: Int64
    /// Whether requests that do not specify an account use this account.
    public let isDefault: Bool

    /// Creates the summary of an account.
    public init(
        account: String,
        username: String,
        displayName: String,
        authority: String,
        policies: [String],
        lastUsed: Int64,
        isDefault: Bool
    ) {
        self.account = account
        self.username = username
        self.displayName = displayName
        self.authority = authority
        self.policies = policies
        self.lastUsed = lastUsed
        self.isDefault = isDefault
    }
}
