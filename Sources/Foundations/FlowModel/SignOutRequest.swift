/// The parameters of `session.signOut`.
public struct SignOutRequest: Hashable, Sendable {
    /// The accounts to sign out of.
    public enum Extent: Hashable, Sendable {
        /// The account with this opaque id.
        case account(String)
        case all
    }

    /// The accounts whose tokens are removed and whose sessions and flows end.
    public let extent: Extent

    /// Creates a sign-out request.
    public init(_ extent: Extent) {
        self.extent = extent
    }
}

/// The outcome of a sign-out.
public struct SignOutSummary: Hashable, Sendable {
    /// The number of removed tokens.
    public let tokens: Int
    /// The number of ended sessions.
    public let sessions: Int
    /// The number of cancelled flows.
    public let flows: Int
    /// Human-readable descriptions of the work that the daemon has to retry to complete the sign-out.
    public let left: [String]

    /// Creates a summary of a sign-out.
    public init(tokens: Int, sessions: Int, flows: Int, left: [String]) {
        self.tokens = tokens
        self.sessions = sessions
        self.flows = flows
        self.left = left
    }
}
