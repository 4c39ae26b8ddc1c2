/// The obstacle to listening at the path of a Unix socket.
public struct UnixSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The obstacles that callers tell apart.
    public enum Code: Hashable, Sendable {
        /// Another process listens there.
        case inUse
        /// The path holds a file that is not a socket.
        case notASocket
        /// The kernel refused.
        case refused
    }

    /// The obstacle.
    public let code: Code
    /// The path at which to listen.
    public let path: String
    /// The obstacle in words; names the process that listens there if the kernel does.
    public let reason: String

    /// The path and the reason in one sentence.
    public var description: String { "cannot listen on \(path): \(reason)" }
}
