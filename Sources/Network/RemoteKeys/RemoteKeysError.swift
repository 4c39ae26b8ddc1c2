/// An error in fetching an authority's keys.
public struct RemoteKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors that callers distinguish.
    public enum Code: String, Sendable {
        /// The authority did not respond, or responded with a server error.
        case unreachable
        /// The response is not the issuer's document.
        case protocolViolation
        /// The authority was called too often or too recently.
        case limited
    }

    /// The kind of error.
    public let code: Code
    /// The cause, for the log.
    public let detail: String

    /// The time to wait before the next attempt.
    public let retryAfter: Duration

    /// Creates an error with a cause for the log.
    public init(_ code: Code, _ detail: String, retryAfter: Duration = AuthorityKeys.failureInterval) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// The code followed by the detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
