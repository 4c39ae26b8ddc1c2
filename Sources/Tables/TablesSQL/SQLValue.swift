/// A value of the database.
public enum SQLValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// A whole number; truth values are 0 and 1, dates are milliseconds since 1970 UTC.
    case integer(Int64)
    /// Any other number.
    case real(Double)
    /// A text.
    case text(String)
}
