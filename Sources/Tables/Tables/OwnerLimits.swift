/// The most that one owner may keep in all tables together.
public struct OwnerLimits: Hashable, Sendable {
    /// The limits where the configuration says nothing.
    public static let standard = OwnerLimits(rows: 100_000, bytes: 268_435_456)

    /// Rows, with the tombstones of deleted ones.
    public let rows: Int
    /// Bytes of the texts of those rows, and of the copies that are kept for repeated inserts.
    public let bytes: Int

    /// Limits of each owner.
    public init(rows: Int, bytes: Int) {
        self.rows = rows
        self.bytes = bytes
    }
}
