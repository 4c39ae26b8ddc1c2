public import TablesClient

/// The rows that a query found in the store.
public struct LocalPage: Hashable, Sendable {
    /// The rows, in the order of the query.
    public let rows: [RemoteRow]
    /// The number of rows before skip and top; nil unless the query asked for it.
    public let totalCount: Int?
}
