/// The parameters of `session.signOut`.
public struct SignOutRequest: Hashable, Sendable {
    /// The accounts whose tokens, sessions and flows end.
    public enum Extent: Hashable, Sendable {
        /// Those of one account, by its opaque id.
        case account(String)
        /// Those of all accounts of the uid.
        case all
    }

    /// The accounts whose tokens, sessions and flows end.
    public let extent: Extent

    /// A sign-out.
    public init(_ extent: Extent) {
        self.extent = extent
    }
}

/// The outcome of a sign-out.
public struct SignOutSummary: Hashable, Sendable {
    /// Cached tokens that were removed.
    public let tokens: Int
    /// Sessions that have ended.
    public let sessions: Int
    /// Flows that were cancelled.
    public let flows: Int
    /// Parts of the sign-out that could not be done yet, in words; they are tried again.
    public let left: [String]

    /// The outcome of a sign-out.
    public init(tokens: Int, sessions: Int, flows: Int, left: [String]) {
        self.tokens = tokens
        self.sessions = sessions
        self.flows = flows
        self.left = left
    }
}
