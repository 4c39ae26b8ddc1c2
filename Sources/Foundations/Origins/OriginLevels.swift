/// The names under which a caller's usage is counted against shared limits, one for each level.
///
/// A limit per origin would not suffice, because one user can have 65,536 IPv6 networks or subordinate uids.
public struct OriginLevels: Hashable, Sendable {
    /// The levels at which usage is counted, narrowest first.
    public enum Level: Int, CaseIterable, Hashable, Sendable {
        /// A uid, an IPv4 address, or the first 64 bits of an IPv6 address.
        case origin
        /// The user that owns a uid, the first 24 bits of an IPv4 address, or the first 56 bits of an IPv6 address.
        case wider
        /// The first 48 bits of an IPv6 address, or the same as ``wider`` for any other origin.
        case widest
    }

    /// The name at the level ``Level/origin``.
    public let origin: String
    /// The name at the level ``Level/wider``.
    public let wider: String
    /// The name at the level ``Level/widest``.
    public let widest: String

    /// Returns the name at the given level.
    public subscript(level: Level) -> String {
        switch level {
        case .origin: origin
        case .wider: wider
        case .widest: widest
        }
    }

    /// Creates levels with the given names.
    public init(origin: String, wider: String, widest: String) {
        self.origin = origin
        self.wider = wider
        self.widest = widest
    }

    /// Creates levels that all have the same name, for an origin that does not belong to a wider network or a user.
    public init(alone name: String) {
        (origin, wider, widest) = (name, name, name)
    }

    /// Creates the levels for a uid on `machine`.
    ///
    /// If `ranges` contains the uid, its wider levels are those of the user that owns the range.
    public init(uid: UInt32, machine: String = "", ranges: SubordinateRanges = .current) {
        origin = "uid \(machine) \(uid)"
        wider = "user \(machine) \(ranges.owner(of: uid) ?? String(uid))"
        widest = wider
    }

    /// Creates the levels for an IPv4 address (4 bytes) or an IPv6 address (16 bytes, or only the first 8 bytes).
    ///
    /// The bytes are in network order. An IPv4-mapped IPv6 address counts as an IPv4 address. Returns `nil` for any
    /// other number of bytes.
    public init?(address: [UInt8]) {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        let bytes = address.count == 16 && Array(address.prefix(12)) == mapped ? Array(address.suffix(4)) : address
        func network(_ kind: String, _ count: Int) -> String {
            "\(kind) \(bytes.prefix(count).map(String.init).joined(separator: "."))"
        }
        switch bytes.count {
        case 4:
            origin = network("IPv4/32", 4)
            wider = network("IPv4/24", 3)
            widest = wider
        case 8, 16:
            origin = network("IPv6/64", 8)
            wider = network("IPv6/56", 7)
            widest = network("IPv6/48", 6)
        default: return nil
        }
    }

    /// Creates the levels for an HTTP peer from its name, such as `uid 1000` or `c0000201`.
    ///
    /// A name of 8 hexadecimal digits is an IPv4 address, and a name of 16 hexadecimal digits is the first half of an
    /// IPv6 address. Any other name is the name at all levels.
    public init(peerName name: String) {
        if name.hasPrefix("uid "), let uid = UInt32(name.dropFirst("uid ".count)) {
            self.init(uid: uid)
            return
        }
        let digits = Array(name)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        guard [8, 16].contains(digits.count), bytes.count * 2 == digits.count, let network = Self(address: bytes) else {
            self.init(alone: name)
            return
        }
        self = network
    }
}
