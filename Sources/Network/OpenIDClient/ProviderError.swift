package import FlowModel

/// An error in a call to an external server, without any untrusted text from a response body.
public struct ProviderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors that callers distinguish.
    public enum Code: String, Sendable, CaseIterable {
        /// The server did not respond in time, or responded that it is unavailable.
        case unavailable
        /// The response violates the specification, or does not come from the expected server.
        case protocolViolation
        /// The user cancelled, is not allowed to sign in, or must interact with the server.
        case denied
        /// The server rejects the presented token or code.
        case invalidGrant
    }

    /// The kind of error.
    public let code: Code
    /// The cause, for the log.
    public let detail: String
    /// The message for the caller that names the cause and what to do, or `nil` if there is only a general message.
    package private(set) var said: EnglishText?
    /// How long to wait before trying again, or `nil` if unknown.
    public let retryAfter: Duration?
    /// Whether the server rejected the call only because of too many requests (RFC 6585 §4).
    public let isOfTooMany: Bool
    /// Whether the server was called, which is `false` if the client itself was overloaded.
    public let wasAsked: Bool

    /// Creates an error with a cause for the log.
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

    /// Creates the error for a server that was not called because the client was overloaded.
    public static func notAsked(_ detail: String) -> Self {
        Self(.unavailable, detail, retryAfter: .seconds(1), isOfTooMany: false, wasAsked: false)
    }

    /// Returns a copy of the error with a message for the caller.
    package func saying(_ said: EnglishText?) -> Self {
        var copy = self
        copy.said = said
        return copy
    }

    /// The code followed by the detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
