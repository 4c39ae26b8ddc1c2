/// A change of what the cache holds for a uid, without any token.
///
/// Whoever misses one loses nothing: `token.acquire` answers with what holds at its time.
public enum TokenEvent: Hashable, Sendable {
    /// A token was stored, as the first of its kind or in place of another.
    case rotated(TokenSummary)
    /// The newest token of its kind ends soon.
    case expiring(TokenSummary)
    /// The sign-in of an account changed.
    case sessionChanged(account: String, SessionChange)

    /// The ways in which the sign-in of an account changes.
    public enum SessionChange: String, CaseIterable, Sendable {
        /// It was signed in.
        case signedIn
        /// It was signed out.
        case signedOut
        /// It is still there, and tokens of it were dropped before their end: its profile, its password or its
        /// permission changed.
        case changed
    }

    /// The account that it is about.
    public var account: String {
        switch self {
        case .rotated(let token), .expiring(let token): token.account
        case .sessionChanged(let account, _): account
        }
    }
}
