public import Tables

/// A column that queries can name, and its name in the database.
public struct SQLColumn: Hashable, Sendable {
    /// The name as declared; queries may spell it in any case.
    public let name: String
    /// Its name in SQL, quoted, or any expression.
    public let sql: String
    /// The type of its values, which the database has as text; real or integer; 0 and 1; milliseconds since 1970 UTC.
    public let type: ColumnType
    /// The name in SQL, quoted, of the column that holds ``SortKey`` of this one's text; nil sorts by code points.
    public let sortKey: String?

    /// A column.
    public init(name: String, sql: String, type: ColumnType, sortKey: String? = nil) {
        self.name = name
        self.sql = sql
        self.type = type
        self.sortKey = sortKey
    }
}
