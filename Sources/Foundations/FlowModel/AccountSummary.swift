/// One account of the caller: a user that this uid has proved to be.
public struct AccountSummary: Hashable, Sendable {
    /// The opaque id.
    public let account: String
    /// The sign-in name.
    public let username: String
    /// The name to show.
    public let displayName: String
    /// The authority that knows the user; `local` is the daemon's own.
    public let authority: String
    /// The policies under which the user signed in.
    public let policies: [String]
    /// Time of the last request for one of its tokens, in milliseconds since 1970 UTC.
    public let lastUsed: Int64
    /// True for the account that is used if a request names none.
    public let isDefault: Bool

    /// One account.
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
