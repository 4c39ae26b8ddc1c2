/// Why a mail was not delivered.
public struct MailError: Error, Hashable, Sendable {
    /// The kinds that callers tell apart.
    public enum Code: String, Hashable, Sendable {
        /// There is no more room where mails go.
        case full
        /// The place where mails go cannot be used.
        case unusable
    }

    /// What went wrong.
    public let code: Code
    /// A sentence for the log; it says neither whom the mail was for nor what it said.
    public let description: String

    static func full(_ why: String) -> Self { Self(code: .full, description: why) }

    static func unusable(_ why: String) -> Self { Self(code: .unusable, description: why) }
}
