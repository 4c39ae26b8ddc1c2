/// A user of the authority, identified by the object id that tokens contain as `oid` and `sub`.
public struct UserID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The object id: a lower-case UUID.
    public let oid: String

    /// Creates an id from an object id.
    public init(oid: String) {
        self.oid = oid
    }

    /// The object id, as in ``oid``.
    public var description: String { oid }
}
