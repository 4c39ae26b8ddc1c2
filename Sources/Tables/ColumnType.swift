/// What a column may hold.
public enum ColumnType: String, CaseIterable, Sendable {
    /// A text.
    case string
    /// A number.
    case number
    /// A truth value.
    case boolean
    /// A point in time with milliseconds.
    case date
}
