/// The limits on the storage that the owner of rows, usually a user, can use in all tables together.
public struct OwnerLimits: Hashable, Sendable {
    /// The default limits.
    public static let standard = OwnerLimits(rows: 100_000, bytes: 268_435_456)

    /// The maximum number of rows, including tombstones.
    public let rows: Int
    /// The maximum total size of the strings in the owner's rows, in bytes.
    ///
    /// The copies of inserted rows by which the server recognizes repeated inserts are included.
    public let bytes: Int

    /// Creates limits for an owner.
    public init(rows: Int, bytes: Int) {
        self.rows = rows
        self.bytes = bytes
    }
}
