/// An authority's keys could not be had; the caller may try again later.
public struct RemoteKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cases that callers tell apart.
    public enum Code: String, Sendable {
        /// No answer came, or not in time.
        case unreachable
        /// The answer is not the issuer's document.
        case protocolViolation
        /// It was asked too often, or too short a time ago.
        case limited
    }

    /// The case.
    public let code: Code
    /// The cause, for the log.
    public let detail: String

    /// How long to wait before the next attempt.
    public let retryAfter: Duration

    /// An error; where the next attempt is not dated it may be made soon.
    public init(_ code: Code, _ detail: String, retryAfter: Duration = AuthorityKeys.failureInterval) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// The code and the detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
