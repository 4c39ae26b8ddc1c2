/// The state of one check for a person at an owner.
public struct CheckStatus: Hashable, Sendable {
    /// The states; the words on the wire.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// It is not proved, or not any more.
        case none
        /// It is proved and counts.
        case success
        /// Its budget is used up: no answer is evaluated.
        case blocked
    }

    /// The check, by its name in `checks.yaml`.
    public let check: String
    /// The state.
    public let state: State
    /// The end of a success, in milliseconds since 1970 UTC.
    public let expiresAt: Int64?
    /// The end of a block, in milliseconds from now.
    public let retryAfterMs: Int64?

    /// The state of a check.
    public init(check: String, state: State, expiresAt: Int64? = nil, retryAfterMs: Int64? = nil) {
        self.check = check
        self.state = state
        self.expiresAt = expiresAt
        self.retryAfterMs = retryAfterMs
    }
}
