/// The owner of a flow, a session or a refresh-token family.
///
/// An owner is derived from the connection or from a browser's session, never from the content of a message.
public enum Owner: Hashable, Sendable {
    /// A local program, identified by the uid that the kernel reports and by the machine id in the state directory.
    case local(machine: String, uid: UInt32)
    case browser(session: String)

    /// Parses a string that has the format of ``key``, or returns `nil`, for example for a key from a later version.
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

    /// The unique string that identifies the owner in the store.
    public var key: String {
        switch self {
        case .local(let machine, let uid): "local:\(machine):\(uid)"
        case .browser(let session): "browser:\(session)"
        }
    }

    /// Whether the owner may present its previous refresh token again, for example after a lost response.
    ///
    /// Only local programs may do so, because the kernel identifies them.
    public var mayRepeat: Bool {
        switch self {
        case .local: true
        case .browser: false
        }
    }

    /// Whether both owners are local programs or both are browsers.
    ///
    /// Grants issued to local programs are valid only over the socket, and grants issued to browsers only over HTTP.
    public func isOfSameKind(as other: Owner) -> Bool {
        switch (self, other) {
        case (.local, .local), (.browser, .browser): true
        case (.local, .browser), (.browser, .local): false
        }
    }
}

extension Owner: Codable {
    /// Decodes the owner from its ``key``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let owner = Owner(key: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown kind of owner")
        }
        self = owner
    }

    /// Encodes the owner as its ``key``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(key)
    }
}
