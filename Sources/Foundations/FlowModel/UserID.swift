/// A user of the authority, identified by the object id that tokens contain as `oid` and `sub`.
public struct UserID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The object id, which is a lower-case UUID.
    public let oid: String

    /// Creates a user id from an object id.
    public init(oid: String) {
        self.oid = oid
    }

    /// The object id, which is the same as ``oid``.
    public var description: String { oid }
}
