/// A change to a uid's token cache, reported without the token itself.
///
/// A client that misses an event loses nothing, because `token.acquire` always responds with the current state.
public enum TokenEvent: Hashable, Sendable {
    /// A token was stored, either the first of its kind or a replacement.
    case rotated(TokenSummary)
    /// A token will expire soon and has not been replaced by a newer token.
    case expiring(TokenSummary)
    case sessionChanged(account: String, SessionChange)

    /// How the sign-in state of an account changed.
    public enum SessionChange: String, CaseIterable, Sendable {
        case signedIn
        case signedOut
        /// The user is still signed in, but a change to the profile, password or permissions invalidated some tokens.
        case changed
    }

    /// The affected account, by its opaque id.
    public var account: String {
        switch self {
        case .rotated(let token), .expiring(let token): token.account
        case .sessionChanged(let account, _): account
        }
    }
}
