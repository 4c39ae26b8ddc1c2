/// The owner of a flow, a session or a refresh-token family.
///
/// It is derived from the connection or from a browser's session, never from a message.
public enum Owner: Hashable, Sendable {
    /// A uid of a machine, as the kernel gave it; the machine's id is the one that the state directory keeps.
    case local(machine: String, uid: UInt32)
    /// A browser, by the id of its session with the authority.
    case browser(session: String)

    /// Reads the text that ``key`` gave; nil for any other, such as one of a kind that this version does not know.
    public init?(key: String) {
        guard let colon = key.firstIndex(of: ":") else { return nil }
        let rest = key[key.index(after: colon)...]
        switch key[..<colon] {
        case "local":
            guard let last = rest.lastIndex(of: ":"), let uid = UInt32(rest[rest.index(after: last)...]) else {
                return nil
            }
            self = .local(machine: String(rest[..<last]), uid: uid)
        case "browser": self = .browser(session: String(rest))
        default: return nil
        }
        guard self.key == key else { return nil }
    }

    /// The text under which the store keeps the owner, a different one for each.
    public var key: String {
        switch self {
        case .local(let machine, let uid): "local:\(machine):\(uid)"
        case .browser(let session): "browser:\(session)"
        }
    }

    /// True if one who presents a refresh token again surely is the one who presented it before: the kernel says so.
    public var mayRepeat: Bool {
        switch self {
        case .local: true
        case .browser: false
        }
    }

    /// True if a grant to one of both may be used by the other's kind.
    ///
    /// Local programs use theirs at the socket, browsers over HTTP, and neither uses the other's.
    public func isOfSameKind(as other: Owner) -> Bool {
        switch (self, other) {
        case (.local, .local), (.browser, .browser): true
        case (.local, .browser), (.browser, .local): false
        }
    }
}

extension Owner: Codable {
    /// Reads the key.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let owner = Owner(key: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an owner of an unknown kind")
        }
        self = owner
    }

    /// Writes the key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(key)
    }
}
