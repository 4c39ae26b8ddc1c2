/// An error for keys that could not be fetched; the caller may try again later.
public struct RemoteKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cases that callers tell apart.
    public enum Code: String, Sendable {
        /// No answer came, or not in time.
        case unreachable
        /// The answer is not the issuer's document.
        case protocolViolation
        /// The authority was asked too often or too recently.
        case limited
    }

    /// The kind of failure.
    public let code: Code
    /// The cause, for the log.
    public let detail: String

    /// The time to wait before the next attempt.
    public let retryAfter: Duration

    /// Makes an error; the next attempt may be made soon if no time is given.
    public init(_ code: Code, _ detail: String, retryAfter: Duration = AuthorityKeys.failureInterval) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// The code and the detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
