public import Tables

/// The rows that a table begins with.
public struct TableSeed: Hashable, Sendable {
    /// One row.
    public struct Row: Hashable, Sendable {
        /// The owner, as the table's rows name theirs; empty in a table that is not per user.
        public let owner: String
        /// That person's id, for columns that the server sets.
        public let oid: String?
        /// Its values, as a client would send them.
        public let members: [String: TableValue]
    }

    /// The table's name.
    public let table: String
    /// The rows in the file's order; each breaks no rule.
    public let rows: [Row]
}
