/// A notification about a uid's token cache.
///
/// A client does not need every notification, because `token.acquire` returns the current state.
public enum TokenEvent: Hashable, Sendable {
    /// A token was stored, either as a new entry or in place of an older token.
    case rotated(TokenSummary)
    /// A token will expire soon and has not been replaced by a newer token.
    case expiring(TokenSummary)
    case sessionChanged(account: String, SessionChange)

    /// The changes to the sign-in state of an account.
    public enum SessionChange: String, CaseIterable, Sendable {
        case signedIn
        case signedOut
        /// A change to the profile, password or permissions invalidated some tokens, but the user is still signed in.
        case changed
    }

    /// The opaque id of the affected account.
    public var account: String {
        switch self {
        case .rotated(let token), .expiring(let token): token.account
        case .sessionChanged(let account, _): account
        }
    }
}
