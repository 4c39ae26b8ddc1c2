import Glibc

/// An IPv4 or IPv6 address.
public struct NetworkAddress: Hashable, Sendable {
    fileprivate let bytes: [UInt8]

    /// Creates an address from 4 or 16 bytes in network order.
    ///
    /// An IPv4-mapped IPv6 address becomes an IPv4 address.
    public init(bytes: [UInt8]) {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        self.bytes = bytes.count == 16 && Array(bytes.prefix(12)) == mapped ? Array(bytes.suffix(4)) : bytes
    }

    /// Parses an address such as `192.0.2.1` or `2001:db8::1`, or returns `nil` for any other string.
    public init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(bytes: withUnsafeBytes(of: &six) { Array($0) })
        } else {
            return nil
        }
    }

    /// The bytes of the IPv4 or IPv6 address as decimal numbers that are separated by dots.
    public var text: String { bytes.map(String.init).joined(separator: ".") }

    /// The name under which requests from this address are counted.
    ///
    /// All addresses in an IPv6 /64 network have the same name, because such a network usually belongs to one
    /// subscriber.
    public var place: String { bytes.count == 4 ? text : NetworkAddress(bytes: Array(bytes.prefix(8))).text + "/64" }
}

/// A range of addresses, which is a network or a single address.
public struct NetworkRange: Hashable, Sendable {
    private let start: NetworkAddress
    private let bits: Int

    /// Parses a network such as `10.0.0.0/8` or a single address, or returns `nil` for any other string.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let start = NetworkAddress(String(first)) else { return nil }
        let most = start.bytes.count * 8
        if parts.count == 2, !parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return nil }
        guard let bits = parts.count == 2 ? Int(parts[1]) : most, (0...most).contains(bits) else { return nil }
        self.start = start
        self.bits = bits
    }

    /// Whether the address is in the range.
    public func contains(_ address: NetworkAddress) -> Bool {
        guard address.bytes.count == start.bytes.count else { return false }
        return zip(address.bytes, start.bytes).enumerated().allSatisfy { index, pair in
            let kept = max(0, min(8, bits - index * 8))
            return (pair.0 ^ pair.1) >> (8 - kept) == 0
        }
    }
}
