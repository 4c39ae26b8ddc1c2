/// The state of one check for a user and an owner.
public struct CheckStatus: Hashable, Sendable {
    /// The states, with their names on the wire.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The check has not been passed, or its result has expired.
        case none
        /// The check was passed and is valid.
        case success
        /// No attempts are left, so answers are not evaluated.
        case blocked
    }

    /// The name of the check in `checks.yaml`.
    public let check: String
    /// Whether the check was passed or is blocked.
    public let state: State
    /// When a passed check expires, in milliseconds since 1970 UTC.
    public let expiresAt: Int64?
    /// The time until the block ends, in milliseconds.
    public let retryAfterMs: Int64?

    /// Creates the state of a check.
    public init(check: String, state: State, expiresAt: Int64? = nil, retryAfterMs: Int64? = nil) {
        self.check = check
        self.state = state
        self.expiresAt = expiresAt
        self.retryAfterMs = retryAfterMs
    }
}
