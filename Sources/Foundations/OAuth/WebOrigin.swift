import Foundation

/// A scheme, host and port (RFC 6454) to which tokens may be sent, with `http` only for loopback hosts.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The scheme, which is `http` or `https`.
    public let scheme: String
    /// The host, in lower case, with an IPv6 address in brackets.
    public let host: String
    /// The port, or the scheme's default port if the URL contains no port.
    public let port: Int

    /// Reads the origin of a URL, or returns `nil` if the URL has a user name or its origin may never receive tokens.
    public init?(_ text: String) {
        // URL parsers disagree about spaces, control and non-ASCII characters and backslashes, so none are allowed.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
            let url = URLComponents(string: text), url.user == nil, url.password == nil,
            let scheme = url.scheme?.lowercased(), let host = url.encodedHost?.lowercased(), Self.isPlain(host)
        else { return nil }
        guard scheme == "https" || (scheme == "http" && Loopback.contains(host: host)) else { return nil }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Whether a host is a name or an address without percent-encoding.
    private static func isPlain(_ host: String) -> Bool {
        !host.isEmpty
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "-._:[]".utf8.contains(byte)
                }
            }
    }

    private var isUsualPort: Bool { port == (scheme == "https" ? 443 : 80) }

    /// The origin as browsers write it, which omits the scheme's default port.
    public var description: String { isUsualPort ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)" }
}
