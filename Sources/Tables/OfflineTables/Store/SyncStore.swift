public import Tables
public import TablesClient

/// The storage for the rows, the queue and the errors of offline tables.
///
/// A program can provide its own implementation, as with `MSSyncContextDataSource`. All changes made in one call to
/// ``write(_:)`` must be stored together or not at all.
public protocol SyncStore: Sendable {
    /// Runs `body` with a consistent view of the store.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body`, and returns when all of its changes are durable.
    ///
    /// If `body` throws an error, all changes are rolled back, and the error is rethrown unchanged.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value

    /// Waits until no push, pull or purge in this or another process is using this store, then runs `body`.
    ///
    /// - Throws: `StoreError` `busy` after ``SyncWait/limit``, or errors that `body` throws.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

/// The rows, operations, errors and settings of a store, within one transaction.
///
/// Tables are identified by their declared names. Ids and names are case-sensitive.
public protocol SyncTransaction {
    /// Returns the row with this id, or `nil` if the row does not exist.
    func row(_ id: RowID, in table: String) throws -> RemoteRow?
    /// Returns all rows of a table, in any order.
    func rows(in table: String) throws -> [RemoteRow]
    /// Returns all rows of a table in any order, converted by `body`, which can run on several threads at once.
    func rows(
        in table: String,
        as body: @escaping @Sendable (consuming RemoteRow) -> RemoteRow
    ) throws -> [RemoteRow]
    /// Inserts a row, or replaces the row with the same id.
    func save(_ row: RemoteRow, in table: String) throws
    /// Removes the row with this id, if it exists.
    func removeRow(_ id: RowID, from table: String) throws

    /// Returns the operations on one row, oldest first.
    func operations(of id: RowID, in table: String) throws -> [TableOperation]
    /// Returns the operations on a table, or on all tables if `table` is `nil`, oldest first.
    func operations(in table: String?) throws -> [TableOperation]
    /// Returns the first operation on `tables` (all tables if `nil`) whose number is greater than `number`. Returns
    /// `nil` if there is none.
    func operation(after number: Int64, in tables: Set<String>?) throws -> TableOperation?
    /// Returns the ids of all rows in a table that have operations.
    func pendingIDs(in table: String) throws -> Set<String>
    /// Returns the number of operations on a table, or on all tables if `table` is `nil`.
    func operationCount(in table: String?) throws -> Int
    /// Adds an operation to the queue. Its number is the queue's highest number plus 1, or 1 if the queue is empty.
    func add(_ operation: TableOperation) throws
    /// Replaces the stored operation that has the same number.
    func save(_ operation: TableOperation) throws
    /// Removes the operation with this number, and its errors.
    func removeOperation(_ number: Int64) throws

    /// Returns the errors of operations on a table, or on all tables if `table` is `nil`.
    func errors(in table: String?) throws -> [TableOperationError]
    func errors(of number: Int64) throws -> [TableOperationError]
    /// Adds an error, which replaces any error already stored for the same operation.
    func save(_ error: TableOperationError) throws
    func removeErrors(of number: Int64) throws

    /// Returns the setting with this kind and key for a table, or `nil` if it is not set.
    func setting(_ kind: SyncSetting, _ key: String, of table: String) throws -> String?
    func set(_ kind: SyncSetting, _ key: String, of table: String, to value: String) throws
    /// Returns all settings of this kind that are set for a table, by key.
    func settings(_ kind: SyncSetting, of table: String) throws -> [String: String]
    /// Removes the setting with this kind and key for a table, if it is set.
    func removeSetting(_ kind: SyncSetting, _ key: String, of table: String) throws
    func removeSettings(_ kind: SyncSetting, of table: String) throws
}

extension SyncTransaction {
    /// Returns all rows of a table, converted by `body` on this thread.
    public func rows(
        in table: String,
        as body: @escaping @Sendable (consuming RemoteRow) -> RemoteRow
    ) throws -> [RemoteRow] {
        try rows(in: table).map { body($0) }
    }
}

/// The kinds of settings that a store has for each table (`MS_TableConfig.keyType`).
public enum SyncSetting: Int, CaseIterable, Sendable {
    /// For each query id, the time up to which rows were pulled: an ISO 8601 date with milliseconds.
    case deltaToken = 0
    /// For each query id, the digest of the query.
    case query = 1
    /// For each row that a pull skipped, the time at which the server last wrote the row, or an empty string if the
    /// time is unknown.
    ///
    /// The next pull fetches the row, unless an edit of the row is still pending.
    case skipped = 2
}
