import Systemd

/// An error for an address that a server cannot listen on.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The causes that callers tell apart.
    public enum Code: String, Sendable {
        /// Another process listens there.
        case inUse
        /// The kernel refused, for example because the address is not this machine's.
        case refused
        /// The inherited descriptor is not a listening socket, or the path holds another kind of file.
        case notASocket
    }

    /// The cause.
    public let code: Code
    /// The address that the server should have listened on.
    public let address: String
    /// The cause in words; names the process that holds the address if it is visible.
    public let reason: String

    /// The address and the reason in one sentence.
    public var description: String { "cannot listen on \(address): \(reason)" }
}

extension ListenError {
    /// Makes the error of a Unix socket.
    init(_ error: UnixSocketError) {
        code =
            switch error.code {
            case .inUse: .inUse
            case .notASocket: .notASocket
            case .refused: .refused
            }
        address = error.path
        reason = error.reason
    }
}
