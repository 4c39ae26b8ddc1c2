/// The user or machine whose browser opened a flow's link.
public enum LinkOpener: Hashable, Sendable, Codable {
    /// A user of this machine, whose name is `nil` if the system has no user with this uid.
    case user(uid: UInt32, name: String?)
    case address(String)
}
