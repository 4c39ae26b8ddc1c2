public import OutgoingHTTP

/// An error in the delivery of an email message.
public struct MailError: Error, Hashable, Sendable {
    /// The kinds of errors that callers can distinguish.
    public enum Code: String, Hashable, Sendable {
        /// The mail folder is full.
        case full
        /// The mail folder or the configuration cannot be used.
        case unusable
        /// The mail server cannot be reached, is too slow, or violates RFC 5321.
        case unreachable
        /// The mail server's identity could not be verified, or the server offers less protection than required.
        case untrusted
        /// The mail server rejected the message, but might accept it later.
        case deferred
        /// The mail server rejected the message permanently.
        case refused
    }

    /// The kind of error.
    public let code: Code
    /// A description for the log that contains neither the recipient nor the content of the message.
    public let description: String
    /// The cause with a message of its own, or `nil` if there is none.
    public private(set) var failure: OutgoingFailure?

    /// Creates an error without a cause that has a message of its own.
    init(code: Code, description: String) {
        self.code = code
        self.description = description
    }

    init(_ code: Code, _ failure: OutgoingFailure) {
        self.init(code: code, description: failure.description)
        self.failure = failure
    }

    /// Whether another attempt to deliver the message could succeed.
    public var isWorthAnotherTry: Bool { code != .refused }

    static func full(_ why: String) -> Self { Self(code: .full, description: why) }

    /// Returns the error for a file or setting that cannot be used.
    public static func unusable(_ why: String) -> Self { Self(code: .unusable, description: why) }

    static func unreachable(_ why: String) -> Self { Self(code: .unreachable, description: why) }

    static func untrusted(_ why: String) -> Self { Self(code: .untrusted, description: why) }

    static func deferred(_ why: String) -> Self { Self(code: .deferred, description: why) }

    static func refused(_ why: String) -> Self { Self(code: .refused, description: why) }
}
