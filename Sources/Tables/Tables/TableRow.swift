/// One row as the server keeps it.
public struct TableRow: Hashable, Sendable {
    /// The id within its table and owner.
    public let id: RowID
    /// Values by the columns' declared names.
    public var values: [String: TableValue]
    /// The time of the insertion, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The time of the last write, in milliseconds since 1970 UTC; unique among the writes of one owner.
    public let updatedAt: Int64
    /// True if the row was deleted and only its tombstone is kept.
    public let isDeleted: Bool

    /// Makes a row of stored values.
    public init(id: RowID, values: [String: TableValue], createdAt: Int64, updatedAt: Int64, isDeleted: Bool) {
        self.id = id
        self.values = values
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.isDeleted = isDeleted
    }

    /// Bytes of all texts.
    public var length: Int { values.values.reduce(0) { $0 + $1.length } }

    /// Changes with every write; opaque to clients.
    public var version: RowVersion { RowVersion(updatedAt: updatedAt) }
}
