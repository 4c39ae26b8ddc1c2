import NIOCore

/// A numeric network address.
struct NetworkAddress: Hashable {
    fileprivate let bytes: [UInt8]

    /// 4 or 16 bytes in network order.
    init(bytes: [UInt8]) {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        self.bytes = bytes.count == 16 && Array(bytes.prefix(12)) == mapped ? Array(bytes.suffix(4)) : bytes
    }

    /// Reads `192.0.2.1` or `2001:db8::1`; nil for anything else.
    init?(_ text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        let bytes = address.withSockAddr { start, size in Array(UnsafeRawBufferPointer(start: start, count: size)) }
        switch address {
        case .v4: self.init(bytes: Array(bytes[4..<8]))
        case .v6: self.init(bytes: Array(bytes[8..<24]))
        case .unixDomainSocket: return nil
        }
    }

    /// The whole address, the same for all its spellings.
    var text: String { bytes.map(String.init).joined(separator: ".") }

    /// The place that attempts are counted for: an IPv4 address, or the network of an IPv6 address (its first 64 bits), of
    /// which one person has all.
    var place: String { bytes.count == 4 ? text : NetworkAddress(bytes: Array(bytes.prefix(8))).text + "/64" }
}

/// A network, or one address.
struct NetworkRange {
    private let start: NetworkAddress
    private let bits: Int

    /// Reads `10.0.0.0/8`, or an address alone; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard let first = parts.first, let start = NetworkAddress(String(first)) else { return nil }
        let most = start.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : most, (0...most).contains(bits) else { return nil }
        self.start = start
        self.bits = bits
    }

    /// True for an address of the network.
    func contains(_ address: NetworkAddress) -> Bool {
        guard address.bytes.count == start.bytes.count else { return false }
        return zip(address.bytes, start.bytes).enumerated().allSatisfy { index, pair in
            let kept = max(0, min(8, bits - index * 8))
            return (pair.0 ^ pair.1) >> (8 - kept) == 0
        }
    }
}

/// The `Forwarded` header field (RFC 7239 §4).
enum Forwarded {
    /// The most hops that are looked at, the last ones.
    private static let most = 16

    /// The `for` of each hop, in order; nil for a hop that names no address.
    static func hops(_ fields: [String]) -> [NetworkAddress?] {
        fields.flatMap { $0.split(separator: ",") }.suffix(most).map { element in
            for pair in element.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
                guard parts.count == 2, parts[0].lowercased() == "for" else { continue }
                return address(parts[1].filter { $0 != "\"" })
            }
            return nil
        }
    }

    /// Reads `192.0.2.43:47011`, `[2001:db8::1]:8080` and the same without ports.
    private static func address(_ text: String) -> NetworkAddress? {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return NetworkAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        return NetworkAddress(text) ?? NetworkAddress(String(text.prefix { $0 != ":" }))
    }
}
