import Foundation
import OAuth

/// A place on the web that tokens may be sent to: scheme, host and port (RFC 6454), compared exactly.
///
/// `http` is for this machine only, so that no token goes over a network unencrypted.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// The host in lower case; an IPv6 address in brackets.
    public let host: String
    /// The port, also where the URL leaves it out.
    public let port: Int

    /// Takes the origin of a URL, whatever its path and query.
    ///
    /// - Parameter text: A URL; nil is returned for one that hides a user in front of its host, and for one that tokens
    ///   never go to.
    public init?(_ text: String) {
        // What two readers of a URL could read differently is none.
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

    /// Tells whether a host is a name or an address without anything encoded.
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

    /// The origin as browsers write it, without the scheme's usual port.
    public var description: String { isUsualPort ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)" }
}
