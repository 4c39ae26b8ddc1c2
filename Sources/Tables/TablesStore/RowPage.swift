public import Tables

/// A page of a list.
public struct RowPage: Hashable, Sendable {
    /// The rows, in the order that was asked for.
    public let rows: [TableRow]
    /// The number of all rows that match, if that was asked for.
    public let totalCount: Int?
    /// There are rows behind these.
    public let hasMore: Bool
}

/// A page of a list as it goes to the client.
public struct WrittenPage: Hashable, Sendable {
    /// A JSON array of the rows.
    public let json: [UInt8]
    /// The number of its rows.
    public let count: Int
    /// The number of all rows that match, if that was asked for.
    public let totalCount: Int?
    /// There are rows behind these.
    public let hasMore: Bool
}
