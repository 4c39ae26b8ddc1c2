/// One row as the server keeps it.
public struct TableRow: Hashable, Sendable {
    /// The id within its table and owner.
    public let id: RowID
    /// Values by the columns' declared names.
    public var values: [String: TableValue]
    /// When it was inserted, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// When it was last written; within an owner no two writes have the same.
    public let updatedAt: Int64
    /// It was deleted, and only its tombstone is kept.
    public let isDeleted: Bool

    /// A row as it was stored.
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
