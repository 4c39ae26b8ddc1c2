import Foundation
import OAuth

/// An address and a port where a daemon listens, as files spell them.
public struct ListenEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The numeric address, without brackets.
    public let host: String
    /// The port; 0 takes a free one.
    public let port: Int

    /// Reads `127.0.0.1:8420` or `[::1]:8420`; names of hosts are refused.
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

    /// True if only this machine can reach the address.
    public var isLoopback: Bool { Loopback.contains(host: host) }

    /// As files spell it.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// 32 or 128 if a text is a numeric address.
    static func bits(of host: String) -> Int? {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return 32 }
        return inet_pton(AF_INET6, host, &six) == 1 ? 128 : nil
    }
}
