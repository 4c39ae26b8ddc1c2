public import Origins

/// The uid or network address of a call, for which wrong answers, sent mail and open flows are counted.
///
/// A browser on this machine has the uid that the kernel reports for its connection, so that a user's calls over the
/// socket and over HTTP share one limit.
public enum Origin: Hashable, Sendable {
    case local(machine: String, uid: UInt32)
    /// A network address, which is a whole IPv4 address or the first 64 bits of an IPv6 address.
    case address(String)

    /// Returns the origin that all local callers share if the kernel reports no uid (uid -1, which belongs to no user).
    public static func unknownLocal(machine: String) -> Origin { .local(machine: machine, uid: .max) }

    /// The unique string that identifies the origin in the store.
    public var key: String {
        switch self {
        case .local(let machine, let uid): "local:\(machine):\(uid)"
        case .address(let address): "address:\(address)"
        }
    }

    /// Parses a string that has the format of ``key``, or returns `nil` for any other string.
    public init?(key: String) {
        if key.hasPrefix("address:") {
            self = .address(String(key.dropFirst("address:".count)))
        } else if case .local(let machine, let uid) = Owner(key: key) {
            self = .local(machine: machine, uid: uid)
        } else {
            return nil
        }
    }
}

extension Origin: Codable {
    /// Decodes the origin from its ``key``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let origin = Origin(key: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown kind of origin")
        }
        self = origin
    }

    /// Encodes the origin as its ``key``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(key)
    }
}

extension Owner {
    /// The origin of the owner's calls if no other is known: a local program's uid, or a browser session's own origin.
    public var origin: Origin {
        switch self {
        case .local(let machine, let uid): .local(machine: machine, uid: uid)
        case .browser(let session): .address("browser \(session)")
        }
    }
}

extension Origin {
    /// The names under which the origin's usage counts toward the limits that all callers share, one for each level.
    public var levels: OriginLevels {
        switch self {
        case .local(let machine, let uid): return OriginLevels(uid: uid, machine: machine)
        case .address(let text):
            return bytes.flatMap { OriginLevels(address: $0) } ?? OriginLevels(alone: "address \(text)")
        }
    }

    /// The IPv4 address or the first 64 bits of an IPv6 address (`2001:db8:0:1::/64`), or `nil` if there is no address.
    public var addressText: String? {
        guard let bytes else { return nil }
        guard bytes.count == 8 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }

    /// The origin as the log shows it, such as `uid 1000`, `192.0.2.1` or `2001:db8:0:1::/64`.
    public var logText: String {
        switch self {
        case .local(_, .max): "unknown local"
        case .local(_, let uid): "uid \(uid)"
        case .address(let text): addressText ?? text
        }
    }

    /// The four bytes of an IPv4 address or the first eight bytes of an IPv6 address, or `nil` for no address.
    private var bytes: [UInt8]? {
        guard case .address(let text) = self else { return nil }
        let isIPv6 = text.hasSuffix("/64")
        let parts = text.dropLast(isIPv6 ? "/64".count : 0).split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { UInt8($0) }
        return parts.count == (isIPv6 ? 8 : 4) && bytes.count == parts.count ? bytes : nil
    }
}
