/// A mistake in a row that a client sent; nothing was written.
public struct TableProblem: Error, Hashable, Sendable {
    /// A sentence for the person who wrote the row.
    public let message: String
    /// The column that is wrong, if it is one.
    public let column: String?

    /// A problem of one column or of the whole row.
    public init(message: String, column: String? = nil) {
        self.message = message
        self.column = column
    }
}
