import Foundation
import OAuth
import Systemd

/// A place where a server listens, as configurations spell it.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric address and a port; port 0 takes a free one.
    case tcp(host: String, port: Int)
    /// A Unix socket and the mode of its file, which says who may connect.
    case unix(path: String, mode: UInt32)

    /// True if only this machine can reach the address.
    public var isLoopback: Bool {
        switch self {
        case .unix: true
        case .tcp("127.0.0.1", _): true
        case .tcp(let host, _): Loopback.contains(host: host)
        }
    }

    /// True if the address is a Unix socket.
    var isUnixSocket: Bool {
        switch self {
        case .unix: true
        case .tcp: false
        }
    }

    /// The address as configurations spell it.
    public var description: String {
        switch self {
        case .unix(let path, _): path
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}

/// The kernel's form of a numeric address and a port.
struct NumericAddress {
    let family: Int32
    private let bytes: [UInt8]

    /// Reads a numeric address; names are not looked up, since what a name means may change under a running daemon.
    init?(host: String, port: Int) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard !host.isEmpty, getaddrinfo(host, String(port), &hints, &list) == 0, let first = list?.pointee,
            let address = first.ai_addr
        else { return nil }
        defer { freeaddrinfo(list) }
        family = first.ai_family
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(first.ai_addrlen)))
    }

    /// Calls `body` with the address.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        bytes.withUnsafeBytes { raw in
            raw.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) }
        }
    }
}

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
