/// The storage limits of one owner, across all tables.
public struct OwnerLimits: Hashable, Sendable {
    /// The default limits.
    public static let standard = OwnerLimits(rows: 100_000, bytes: 268_435_456)

    /// The maximum number of rows, including tombstones.
    public let rows: Int
    /// The maximum size of the owner's strings in bytes, including copies stored to recognize repeated inserts.
    public let bytes: Int

    /// Creates limits for an owner.
    public init(rows: Int, bytes: Int) {
        self.rows = rows
        self.bytes = bytes
    }
}
