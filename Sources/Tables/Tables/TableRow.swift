/// One row as stored on the server.
public struct TableRow: Hashable, Sendable {
    /// The id, which is unique in the table.
    ///
    /// If each user has separate rows in the table, the id is unique only among the user's rows.
    public let id: RowID
    /// The values, keyed by declared column name.
    public var values: [String: TableValue]
    /// The time of the insert, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The time of the last write, in milliseconds since 1970 UTC.
    ///
    /// The time is different for each write to the table or, if each user has separate rows, to the user's rows.
    public let updatedAt: Int64
    /// Whether the row is a tombstone.
    public let isDeleted: Bool

    /// Creates a row from stored values.
    public init(id: RowID, values: [String: TableValue], createdAt: Int64, updatedAt: Int64, isDeleted: Bool) {
        self.id = id
        self.values = values
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.isDeleted = isDeleted
    }

    /// The total length of all string values, in bytes.
    public var length: Int { values.values.reduce(0) { $0 + $1.length } }

    /// The row's version, which is opaque to clients and changes with every write.
    public var version: RowVersion { RowVersion(updatedAt: updatedAt) }
}
