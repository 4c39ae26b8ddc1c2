import Foundation
import OAuth
import Systemd

/// An address that a server listens on, in the form that configurations use.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A TCP port on a numeric IP address, where port 0 selects a free port.
    case tcp(host: String, port: Int)
    /// A Unix socket, with its path and the mode of its file, which determines which users may connect.
    case unix(path: String, mode: UInt32)

    /// Whether only clients on this machine can reach the address.
    public var isLoopback: Bool {
        switch self {
        case .unix: true
        case .tcp("127.0.0.1", _): true
        case .tcp(let host, _): Loopback.contains(host: host)
        }
    }

    var isUnixSocket: Bool {
        switch self {
        case .unix: true
        case .tcp: false
        }
    }

    /// The address in the form that configurations use.
    public var description: String {
        switch self {
        case .unix(let path, _): path
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}

struct NumericAddress {
    let family: Int32
    private let bytes: [UInt8]

    /// Parses a numeric IP address, or returns `nil` for a host name, because its addresses can change.
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

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        bytes.withUnsafeBytes { raw in
            raw.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) }
        }
    }
}

/// The error that is thrown if a server cannot listen on an address.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The causes that callers can distinguish.
    public enum Code: String, Sendable {
        case inUse
        /// The kernel refused the request to listen, for example because the address does not belong to this machine.
        case refused
        /// The inherited descriptor is not a socket, or the path belongs to a file that is not a socket.
        case notASocket
    }

    /// The cause as a code.
    public let code: Code
    /// The address that the server cannot listen on.
    public let address: String
    /// A description of the cause, with the id and name of the process that uses the address if it is visible.
    public let reason: String

    /// A message that contains the address and the reason.
    public var description: String { "cannot listen on \(address): \(reason)" }
}

extension ListenError {
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
