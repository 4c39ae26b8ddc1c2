public import Tables

/// A rejected read or write, as opposed to an error in the database itself (`StoreError`).
public struct TablesStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error that callers distinguish.
    public enum Code: String, Sendable {
        /// The id of an insert is already taken. ``TablesStoreError/row`` is the existing row.
        case exists
        case notFound
        /// The row exists, but its version does not satisfy the caller's condition (`If-Match`).
        case mismatch
        case deleted
        /// Several rows match, but only one is allowed. ``TablesStoreError/ids`` contains their ids.
        case ambiguous
        /// The idempotency key of an insert was already used for a different row.
        case keyReused
        /// Some requested tombstones were already removed, so the client must read the whole table again.
        case forgotten
        /// More rows match than one request is allowed to delete.
        case tooMany
        /// Other clients changed the rows during every attempt.
        case changing
        /// The strings in the row exceed the maximum length of a row.
        case tooLong
        /// The owner would exceed the maximum number of rows (``OwnerLimits/rows``).
        case tooManyRows
        /// The owner's rows would exceed the maximum number of bytes (``OwnerLimits/bytes``).
        case tooManyBytes
        /// The query exceeds its budget.
        case tooCostly
        /// The client disconnected before its long query finished (``ReadClient``).
        case abandoned
        /// No memory is available for the response at the moment (``ReadClient``).
        case noRoom
        /// The table stores no tombstones, so deleted rows cannot be restored.
        case cannotUndelete
    }

    /// The kind of error.
    public let code: Code
    /// The existing row, or `nil` if the error does not contain a row.
    public let row: TableRow?
    /// The ids of the matching rows, for `ambiguous`.
    public let ids: [RowID]
    /// An explanation for the log.
    public let detail: String

    /// Creates an error.
    public init(_ code: Code, row: TableRow? = nil, ids: [RowID] = [], detail: String = "") {
        self.code = code
        self.row = row
        self.ids = ids
        self.detail = detail
    }

    /// The code, and the detail if there is one.
    public var description: String { detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)" }
}
