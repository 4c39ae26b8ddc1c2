/// The greatest size of a query, so that no request costs more than its reader allows.
public struct QueryLimits: Hashable, Sendable {
    /// The limits of a server.
    public static let standard = QueryLimits()

    /// Longest value of one option or parameter, longest predicate, and longest texts and names of one expression in all,
    /// in bytes of UTF-8.
    public var length = 8192
    /// Deepest tree of an expression.
    public var depth = 64
    /// Most nodes of all expressions of an option together.
    public var nodes = 1000
    /// Most custom parameters.
    public var parameters = 32
    /// Most terms of an order, and most names of a selection.
    public var terms = 100
    /// Most rows that `$top` may ask for.
    public var top = 1000
    /// Most rows that `$skip` may leave out.
    public var skip = Int(Int32.max)

    /// The standard limits.
    public init() {}

    /// Most parentheses and signs within each other: as many as any tree within ``depth`` needs when it is written down.
    var nesting: Int { 2 * depth + 8 }
}
