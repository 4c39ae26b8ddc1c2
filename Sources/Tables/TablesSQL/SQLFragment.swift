/// A piece of SQL and its arguments; a value never becomes part of the text.
public struct SQLFragment: Hashable, Sendable {
    /// The texts before, between and after the arguments: one more than these.
    private var pieces: [String]
    /// The values of the placeholders, in order.
    public private(set) var arguments: [SQLValue]
    /// Bytes of the text, without the placeholders.
    private var written: Int

    /// SQL without arguments.
    public init(_ sql: String = "") {
        pieces = [sql]
        arguments = []
        written = sql.utf8.count
    }

    /// One argument.
    public init(_ value: SQLValue) {
        pieces = ["", ""]
        arguments = [value]
        written = 0
    }

    /// Bytes of the text at most, with five for each placeholder.
    var length: Int { written + 5 * arguments.count }

    /// The text, with `$1` for the first argument.
    public var sql: String { sql(from: 1) }

    /// There is no text.
    public var isEmpty: Bool { arguments.isEmpty && pieces == [""] }

    /// The text for a statement that has other arguments before these.
    ///
    /// - Parameter first: The number of the first argument's placeholder.
    /// - Returns: The text with `$n` for every argument.
    public func sql(from first: Int) -> String {
        var text = pieces[0]
        for (offset, piece) in pieces.dropFirst().enumerated() { text += "$\(first + offset)" + piece }
        return text
    }

    /// Adds SQL without arguments.
    public mutating func append(_ sql: String) {
        pieces[pieces.count - 1] += sql
        written += sql.utf8.count
    }

    /// Adds a piece with its arguments.
    public mutating func append(_ other: SQLFragment) {
        pieces[pieces.count - 1] += other.pieces[0]
        pieces += other.pieces.dropFirst()
        arguments += other.arguments
        written += other.written
    }

    /// One piece after another.
    public static func + (a: SQLFragment, b: SQLFragment) -> SQLFragment {
        var sum = a
        sum.append(b)
        return sum
    }

    /// SQL after a piece.
    public static func + (a: SQLFragment, b: String) -> SQLFragment {
        var sum = a
        sum.append(b)
        return sum
    }

    /// SQL before a piece.
    public static func + (a: String, b: SQLFragment) -> SQLFragment { SQLFragment(a) + b }

    /// All pieces with `separator` between them.
    public static func joined(_ pieces: [SQLFragment], by separator: String) -> SQLFragment {
        var sum = SQLFragment()
        for (index, piece) in pieces.enumerated() {
            if index > 0 { sum.append(separator) }
            sum.append(piece)
        }
        return sum
    }
}

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
