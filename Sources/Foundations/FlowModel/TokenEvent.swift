/// A change in a uid's token cache.
///
/// The event does not contain the token.
///
/// A client that misses an event loses nothing, because `token.acquire` always responds with the current state.
public enum TokenEvent: Hashable, Sendable {
    /// A token was stored, either the first of its kind or a replacement.
    case rotated(TokenSummary)
    /// The newest token of its kind expires soon.
    case expiring(TokenSummary)
    /// The sign-in state of an account changed.
    case sessionChanged(account: String, SessionChange)

    /// How the sign-in state of an account changed.
    public enum SessionChange: String, CaseIterable, Sendable {
        /// The account was signed in.
        case signedIn
        /// The account was signed out.
        case signedOut
        /// The account is still signed in, but some of its tokens were dropped before they expired, because its
        /// profile, password or permissions changed.
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
