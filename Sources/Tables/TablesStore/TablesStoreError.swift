public import Tables

/// The refusal of a read or a write; a fault of the database itself is a `StoreError`.
public struct TablesStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds that callers tell apart.
    public enum Code: String, Sendable {
        /// An insert's id is taken, by ``TablesStoreError/row``.
        case exists
        /// There is no such row.
        case notFound
        /// The row is there, but not as the caller expects it (`If-Match`).
        case mismatch
        /// The row is deleted already.
        case deleted
        /// Several rows match where one was meant; ``TablesStoreError/ids`` names them.
        case ambiguous
        /// The key of an insert was used for another row before.
        case keyReused
        /// Deletions that the caller asks for were forgotten already: the table must be read from the beginning.
        case forgotten
        /// More rows match than may be deleted at once.
        case tooMany
        /// The rows that are meant are changed by others all the time.
        case changing
        /// The row's texts are longer than a row may be.
        case tooLong
        /// The owner has as many rows as one may have (``OwnerLimits/rows``).
        case tooManyRows
        /// The owner's rows have as many bytes as those of one may have (``OwnerLimits/bytes``).
        case tooManyBytes
        /// The query takes more work than a query may.
        case tooCostly
        /// The client went before its long query ended (``ReadClient``).
        case abandoned
        /// There is no memory for the answer now (``ReadClient``).
        case noRoom
        /// Deleted rows of the table leave no tombstone that could be taken back.
        case cannotUndelete
    }

    /// The kinds that callers tell apart.
    public let code: Code
    /// The row that is there.
    public let row: TableRow?
    /// The rows that are meant.
    public let ids: [RowID]
    /// An explanation for the log.
    public let detail: String

    /// A refusal.
    public init(_ code: Code, row: TableRow? = nil, ids: [RowID] = [], detail: String = "") {
        self.code = code
        self.row = row
        self.ids = ids
        self.detail = detail
    }

    /// The code and the detail.
    public var description: String { detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)" }
}
