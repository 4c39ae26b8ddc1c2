import Foundation
import OAuth
import Systemd

/// An address that a server listens on, as written in configurations.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric address and a port. Port 0 selects a free port.
    case tcp(host: String, port: Int)
    /// The path of a Unix socket and the mode of its file. The mode determines which users may connect.
    case unix(path: String, mode: UInt32)

    /// Whether only this machine can reach the address.
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

    /// The address as written in configurations.
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

    /// Parses a numeric address.
    ///
    /// Returns `nil` for a host name, because its addresses can change while a daemon runs.
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

/// The error for an address that a server cannot listen on.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The causes that callers distinguish.
    public enum Code: String, Sendable {
        /// Another process is listening on the address.
        case inUse
        /// The kernel refused the request to listen, for example because the address does not belong to this machine.
        case refused
        /// The inherited descriptor is not a listening socket, or the path refers to another kind of file.
        case notASocket
    }

    /// The cause as a code.
    public let code: Code
    /// The address that could not be used.
    public let address: String
    /// A description of the cause, including the id and name of the process that uses the address, if they are visible.
    public let reason: String

    /// One sentence with the address and the reason.
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
