import Foundation
import OAuth

/// A listener's address and port.
public struct ListenEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The numeric address, without brackets.
    public let host: String
    /// The port, or 0 for any free port.
    public let port: Int

    /// Parses a string such as `127.0.0.1:8420` or `[::1]:8420`, or returns `nil` for anything else.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard let bits = Self.bits(of: host), isBracketed == (bits == 128) else { return nil }
        self.host = host
        self.port = Int(port)
    }

    /// Returns the endpoints of a daemon whose configuration does not set `listen`: both loopback addresses.
    static func standard(port: UInt16) -> [ListenEndpoint] {
        ["127.0.0.1:\(port)", "[::1]:\(port)"].compactMap(ListenEndpoint.init)
    }

    /// Whether only this machine can reach the address.
    public var isLoopback: Bool { Loopback.contains(host: host) }

    /// The endpoint as written in configuration files, with an IPv6 address in brackets.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Returns the number of address bits (32 or 128), or `nil` if `host` is not a numeric address.
    static func bits(of host: String) -> Int? {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return 32 }
        return inet_pton(AF_INET6, host, &six) == 1 ? 128 : nil
    }
}
