/// Why an issuer's keys could not be had; whoever waited may try again later.
public struct RemoteKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What callers tell apart.
    public enum Code: String, Sendable {
        /// Nobody answered, or not in time.
        case unreachable
        /// Something answered that is not the issuer's document.
        case protocolViolation
        /// Too many issuers were asked for.
        case limited
    }

    /// What callers tell apart.
    public let code: Code
    /// What happened, for the log.
    public let detail: String

    /// An error.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The code and the detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
