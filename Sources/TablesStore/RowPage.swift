public import Tables

/// A part of a list.
public struct RowPage: Hashable, Sendable {
    /// The rows, in the order that was asked for.
    public let rows: [TableRow]
    /// How many rows match in all, if that was asked for.
    public let totalCount: Int?
    /// Whether there are rows behind these.
    public let hasMore: Bool
}

/// A part of a list as it goes to the client.
public struct WrittenPage: Hashable, Sendable {
    /// A JSON array of the rows.
    public let json: [UInt8]
    /// How many rows it has.
    public let count: Int
    /// How many rows match in all, if that was asked for.
    public let totalCount: Int?
    /// Whether there are rows behind these.
    public let hasMore: Bool
}
