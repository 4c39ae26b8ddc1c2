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
