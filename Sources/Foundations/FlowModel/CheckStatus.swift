/// The state of one check for a user in the caller's sessions.
public struct CheckStatus: Hashable, Sendable {
    /// The states, as named on the wire.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The check has not been passed, or the result has expired.
        case none
        /// The check was passed, and the result is still valid.
        case success
        /// No attempts are left, so answers are not evaluated.
        case blocked
    }

    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The current state: not passed, passed, or blocked.
    public let state: State
    /// The time at which a passed check expires, in milliseconds since 1970 UTC, or `nil` in any other state.
    public let expiresAt: Int64?
    /// The time until the block ends, in milliseconds, or `nil` if the check is not blocked.
    public let retryAfterMs: Int64?

    /// Creates a description of the state of a check.
    public init(check: String, state: State, expiresAt: Int64? = nil, retryAfterMs: Int64? = nil) {
        self.check = check
        self.state = state
        self.expiresAt = expiresAt
        self.retryAfterMs = retryAfterMs
    }
}
