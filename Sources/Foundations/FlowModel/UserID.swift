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
