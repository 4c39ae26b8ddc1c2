/// The user or the machine whose browser opened the link of a flow.
public enum LinkOpener: Hashable, Sendable, Codable {
    /// A user of this machine; the name is nil if the system knows none.
    case user(uid: UInt32, name: String?)
    /// A network address.
    case address(String)
}
