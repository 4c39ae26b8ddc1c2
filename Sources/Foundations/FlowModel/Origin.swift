public import Origins

/// The place that a call comes from, for which wrong answers, mails and open flows are counted.
///
/// It is not the owner: a browser has as many sessions as it likes, and all of them come from one address. A browser of
/// this machine whose uid the kernel tells is counted as that uid, so that attempts are the same at both doors.
public enum Origin: Hashable, Sendable {
    /// A uid of a machine.
    case local(machine: String, uid: UInt32)
    /// A network address: all of an IPv4 address, or the first 64 bits of an IPv6 address.
    case address(String)

    /// The one origin of all callers of a machine whose uid the kernel does not tell, under the limits of one uid.
    ///
    /// Its number, -1, is no user's.
    public static func unknownLocal(machine: String) -> Origin { .local(machine: machine, uid: .max) }

    /// The text under which the store keeps the origin, a different one for each.
    public var key: String {
        switch self {
        case .local(let machine, let uid): "local:\(machine):\(uid)"
        case .address(let address): "address:\(address)"
        }
    }

    /// Reads the text that ``key`` gave; nil for any other.
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
    /// Reads the key.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let origin = Origin(key: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an origin of an unknown kind")
        }
        self = origin
    }

    /// Writes the key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(key)
    }
}

extension Owner {
    /// The place that an owner's calls come from if nothing more is known: a uid, or a browser by itself.
    public var origin: Origin {
        switch self {
        case .local(let machine, let uid): .local(machine: machine, uid: uid)
        case .browser(let session): .address("browser \(session)")
        }
    }
}

extension Origin {
    /// The levels at which the origin is counted where all origins share a total.
    public var levels: OriginLevels {
        switch self {
        case .local(let machine, let uid): return OriginLevels(uid: uid, machine: machine)
        case .address(let text):
            let isIPv6 = text.hasSuffix("/64")
            let parts = text.dropLast(isIPv6 ? "/64".count : 0).split(separator: ".", omittingEmptySubsequences: false)
            let bytes = parts.compactMap { UInt8($0) }
            guard parts.count == (isIPv6 ? 8 : 4), bytes.count == parts.count, let levels = OriginLevels(address: bytes)
            else { return OriginLevels(alone: "address \(text)") }
            return levels
        }
    }
}
