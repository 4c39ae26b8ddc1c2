/// An error of a server outside, as the callers of ``OpenIDClient`` tell them apart.
///
/// Nothing of an answer's body stands in it: neither a person nor a log is shown what a stranger wrote.
public struct ProviderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cases that callers tell apart.
    public enum Code: String, Sendable, CaseIterable {
        /// No answer came, or not in time, or the server said that it cannot answer now.
        case unavailable
        /// The answer is not what the specification asks for, or is not the server's that was asked.
        case protocolViolation
        /// The server answered that it does not sign the person in: it was cancelled there, is not allowed, or needs the person.
        case denied
        /// The server answered that the token it was brought is not valid: it issued that before, or does not take it.
        case invalidGrant
    }

    /// The kind of failure.
    public let code: Code
    /// The cause, for the log.
    public let detail: String
    /// The time for which it is in vain to ask again, if it is known.
    public let retryAfter: Duration?
    /// True if the server works, and has only been asked too often (RFC 6585 §4).
    public let isOfTooMany: Bool
    /// False if the server was not asked, since this side has too much to do: its circuit does not count that.
    public let wasAsked: Bool

    /// Makes an error of a kind and its cause.
    public init(_ code: Code, _ detail: String, retryAfter: Duration? = nil, isOfTooMany: Bool = false) {
        self.init(code, detail, retryAfter: retryAfter, isOfTooMany: isOfTooMany, wasAsked: true)
    }

    private init(_ code: Code, _ detail: String, retryAfter: Duration?, isOfTooMany: Bool, wasAsked: Bool) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
        self.isOfTooMany = isOfTooMany
        self.wasAsked = wasAsked
    }

    /// A server was not asked, since this side has too much to do; a second later it may be.
    public static func notAsked(_ detail: String) -> Self {
        Self(.unavailable, detail, retryAfter: .seconds(1), isOfTooMany: false, wasAsked: false)
    }

    /// The code and the detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
