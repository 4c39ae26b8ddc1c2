public import Tables

/// A page of a list.
public struct RowPage: Hashable, Sendable {
    /// The rows, in the requested order.
    public let rows: [TableRow]
    /// The total number of matching rows, or `nil` if the number was not requested.
    public let totalCount: Int?
    /// Whether more rows follow this page.
    public let hasMore: Bool
}

/// A page of a list, already encoded for the client.
public struct WrittenPage: Hashable, Sendable {
    /// A JSON array of the rows.
    public let json: [UInt8]
    /// The number of rows on the page.
    public let count: Int
    /// The total number of matching rows, or `nil` if the number was not requested.
    public let totalCount: Int?
    /// Whether more rows follow this page.
    public let hasMore: Bool
}
