/// One page of a list, and how far the list has come with it.
public struct TablePage<Row: Sendable>: Sendable {
    /// Its rows.
    public let rows: [Row]
    /// The number of rows of the whole list; nil unless the query asked for it.
    public let totalCount: Int?
    /// The number of the page, from 1.
    public let number: Int
    /// Rows of this page and of all before it.
    public let rowsSoFar: Int
    /// The link to the next page; nil on the last one.
    public let next: PageLink?
}

extension TablePage: Equatable where Row: Equatable {}

/// A link to the next page of a list; it leads to the same table of the same API, whatever the API answered.
public struct PageLink: Hashable, Sendable {
    let query: String
    let number: Int
    let rowsBefore: Int
}
