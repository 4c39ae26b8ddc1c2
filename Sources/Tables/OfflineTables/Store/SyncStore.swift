public import Tables
public import TablesClient

/// The storage for offline tables, which contains their rows, their queued operations and their errors.
///
/// A program can provide its own store, as with `MSSyncContextDataSource` in the Azure Mobile Services SDK.
public protocol SyncStore: Sendable {
    /// Runs `body` with a consistent view of the store.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body`, and returns when its changes are durable, or rolls them back and rethrows an error of `body`.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value

    /// Waits until no push, pull or purge in this or another process is using this store, and then runs `body`.
    ///
    /// - Throws: `StoreError` `busy` if the wait exceeds ``SyncWait/limit``, or an error that `body` throws.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

/// The rows, operations, errors and settings of a store in one transaction, with case-sensitive ids and table names.
public protocol SyncTransaction {
    /// Returns the row with this id, or `nil` if the row does not exist.
    func row(_ id: RowID, in table: String) throws -> RemoteRow?
    /// Returns all rows of a table, in any order.
    func rows(in table: String) throws -> [RemoteRow]
    /// Returns all rows of a table in any order, each converted by `body`, which can run on several threads at once.
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
    /// Returns the first operation with a number above `number` on `tables`, or on any table if `tables` is `nil`.
    func operation(after number: Int64, in tables: Set<String>?) throws -> TableOperation?
    /// Returns the ids of all rows in a table that have operations.
    func pendingIDs(in table: String) throws -> Set<String>
    /// Returns the number of operations on a table, or on all tables if `table` is `nil`.
    func operationCount(in table: String?) throws -> Int
    /// Adds an operation, whose number must be the queue's highest number plus 1, or 1 if the queue is empty.
    func add(_ operation: TableOperation) throws
    /// Replaces the stored operation that has the same number as `operation`.
    func save(_ operation: TableOperation) throws
    /// Removes the operation with this number and the errors of that operation.
    func removeOperation(_ number: Int64) throws

    /// Returns the errors of operations on a table, or on all tables if `table` is `nil`.
    func errors(in table: String?) throws -> [TableOperationError]
    func errors(of number: Int64) throws -> [TableOperationError]
    /// Adds an error, which replaces any error already stored for the same operation.
    func save(_ error: TableOperationError) throws
    func removeErrors(of number: Int64) throws

    /// Returns a table's setting with this kind and key, or `nil` if the setting is not set.
    func setting(_ kind: SyncSetting, _ key: String, of table: String) throws -> String?
    func set(_ kind: SyncSetting, _ key: String, of table: String, to value: String) throws
    /// Returns all of a table's settings of this kind, as a dictionary from keys to values.
    func settings(_ kind: SyncSetting, of table: String) throws -> [String: String]
    /// Removes a table's setting with this kind and key, if the setting is set.
    func removeSetting(_ kind: SyncSetting, _ key: String, of table: String) throws
    func removeSettings(_ kind: SyncSetting, of table: String) throws
}

extension SyncTransaction {
    /// Returns all rows of a table, each converted by `body` on the calling thread.
    public func rows(
        in table: String,
        as body: @escaping @Sendable (consuming RemoteRow) -> RemoteRow
    ) throws -> [RemoteRow] {
        try rows(in: table).map { body($0) }
    }
}

/// The kinds of settings that a store has for each table, with values of `MS_TableConfig.keyType` as raw values.
public enum SyncSetting: Int, CaseIterable, Sendable {
    /// The time up to which a query has pulled rows, as an ISO 8601 date with milliseconds.
    ///
    /// The key is the query's id.
    case deltaToken = 0
    /// The digest of a query.
    ///
    /// The key is the query's id.
    case query = 1
    /// The time at which the server last wrote a row that a pull skipped, or an empty string if the time is unknown.
    ///
    /// The key is the row's id. If the row was deleted locally, the value is `deleted` instead of a time. The next pull
    /// fetches the row, unless an edit of the row is still pending.
    case skipped = 2
}
