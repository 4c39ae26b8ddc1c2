/// Whom a flow, a session or a refresh-token family of the socket belongs to: a uid of a machine.
///
/// It is derived from the connection, never from a message.
public struct Owner: Hashable, Sendable, Codable {
    /// The machine's id, as the state directory keeps it.
    public let machine: String
    /// The peer's uid, as the kernel gave it.
    public let uid: UInt32

    /// An owner of flows, sessions and families.
    public init(machine: String, uid: UInt32) {
        self.machine = machine
        self.uid = uid
    }
}

/// A person whom the authority knows, by the object id that tokens carry as `oid` and `sub`.
public struct UserID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The object id: a lower-case UUID.
    public let oid: String

    /// A user by object id.
    public init(oid: String) {
        self.oid = oid
    }

    /// The object id.
    public var description: String { oid }
}
