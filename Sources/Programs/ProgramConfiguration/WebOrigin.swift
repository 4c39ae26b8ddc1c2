import Foundation
import OAuth

/// An origin to which tokens may be sent: scheme, host and port (RFC 6454).
///
/// Origins are compared exactly.
///
/// `http` is valid only for loopback hosts, so tokens never cross a network unencrypted.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// The host, in lower case.
    ///
    /// An IPv6 address is in brackets.
    public let host: String
    /// The port, including the default port of the scheme.
    public let port: Int

    /// Reads the origin of a URL.
    ///
    /// Its path and query are ignored.
    ///
    /// - Parameter text: A URL. The result is `nil` if the URL contains a user name, or if its origin can never receive
    ///   tokens.
    public init?(_ text: String) {
        // URL parsers disagree about such characters, so a URL that contains one is treated as having no origin.
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

    /// Whether a host is a name or an address that is not percent-encoded.
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

    /// The origin as browsers write it, without the default port of the scheme.
    public var description: String { isUsualPort ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)" }
}
