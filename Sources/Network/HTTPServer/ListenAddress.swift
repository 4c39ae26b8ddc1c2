import OAuth

/// A place where a server listens, as configurations spell it.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric address and a port; port 0 takes a free one.
    case tcp(host: String, port: Int)
    /// A Unix socket and the mode of its file, which says who may connect.
    case unix(path: String, mode: UInt32)

    /// Reads `127.0.0.1:8420` or `[::1]:8420`.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard NumericAddress(host: String(host), port: Int(port)) != nil else { return nil }
        self = .tcp(host: String(host), port: Int(port))
    }

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
