/// Failure of delivering a mail.
public struct MailError: Error, Hashable, Sendable {
    /// The kinds that callers tell apart.
    public enum Code: String, Hashable, Sendable {
        /// There is no more room where mails go.
        case full
        /// The place where mails go cannot be used.
        case unusable
        /// The mail server is not reached, or does not answer in time or as RFC 5321 says.
        case unreachable
        /// The mail server does not prove who it is, or offers less protection than is asked of it.
        case untrusted
        /// The mail server does not take the mail now.
        case deferred
        /// The mail server does not take this mail, now or later.
        case refused
    }

    /// Kind of failure.
    public let code: Code
    /// A sentence for the log; it says neither whom the mail was for nor what it said.
    public let description: String

    /// True if another try may end otherwise.
    public var isWorthAnotherTry: Bool { code != .refused }

    static func full(_ why: String) -> Self { Self(code: .full, description: why) }

    /// Reports that a file or setting for sending mails cannot be used.
    public static func unusable(_ why: String) -> Self { Self(code: .unusable, description: why) }

    static func unreachable(_ why: String) -> Self { Self(code: .unreachable, description: why) }

    static func untrusted(_ why: String) -> Self { Self(code: .untrusted, description: why) }

    static func deferred(_ why: String) -> Self { Self(code: .deferred, description: why) }

    static func refused(_ why: String) -> Self { Self(code: .refused, description: why) }
}
