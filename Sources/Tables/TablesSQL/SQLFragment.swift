/// A piece of SQL, in which values are always arguments and never part of the SQL text.
public struct SQLFragment: Hashable, Sendable {
    /// The pieces of SQL before, between and after the arguments.
    private var pieces: [String]
    /// The values for the placeholders, in order.
    public private(set) var arguments: [SQLValue]
    /// The length of the SQL in bytes, without placeholders.
    private var written: Int

    /// Creates an SQL fragment that has no arguments.
    public init(_ sql: String = "") {
        pieces = [sql]
        arguments = []
        written = sql.utf8.count
    }

    /// Creates a fragment that consists of a single argument.
    public init(_ value: SQLValue) {
        pieces = ["", ""]
        arguments = [value]
        written = 0
    }

    /// An upper bound for the length of the SQL in bytes, assuming five bytes per placeholder.
    var length: Int { written + 5 * arguments.count }

    /// The SQL, in which `$1` is the placeholder for the first argument.
    public var sql: String { sql(from: 1) }

    /// Whether the fragment has no SQL and no arguments.
    public var isEmpty: Bool { arguments.isEmpty && pieces == [""] }

    /// Returns the SQL, in which the placeholders are numbered from `first`.
    public func sql(from first: Int) -> String {
        var text = pieces[0]
        for (offset, piece) in pieces.dropFirst().enumerated() { text += "$\(first + offset)" + piece }
        return text
    }

    /// Appends an SQL string that has no arguments.
    public mutating func append(_ sql: String) {
        pieces[pieces.count - 1] += sql
        written += sql.utf8.count
    }

    /// Appends a fragment with its arguments.
    public mutating func append(_ other: SQLFragment) {
        pieces[pieces.count - 1] += other.pieces[0]
        pieces += other.pieces.dropFirst()
        arguments += other.arguments
        written += other.written
    }

    /// Returns the concatenation of two fragments.
    public static func + (a: SQLFragment, b: SQLFragment) -> SQLFragment {
        var sum = a
        sum.append(b)
        return sum
    }

    /// Returns a fragment followed by an SQL string that has no arguments.
    public static func + (a: SQLFragment, b: String) -> SQLFragment {
        var sum = a
        sum.append(b)
        return sum
    }

    /// Returns an SQL string that has no arguments, followed by a fragment.
    public static func + (a: String, b: SQLFragment) -> SQLFragment { SQLFragment(a) + b }

    /// Joins fragments with `separator` between them.
    public static func joined(_ pieces: [SQLFragment], by separator: String) -> SQLFragment {
        var sum = SQLFragment()
        for (index, piece) in pieces.enumerated() {
            if index > 0 { sum.append(separator) }
            sum.append(piece)
        }
        return sum
    }
}

/// A value in the database.
public enum SQLValue: Hashable, Sendable {
    case null
    /// A whole number, a Boolean as 0 or 1, or a date in milliseconds since 1970 UTC.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    case text(String)
}
