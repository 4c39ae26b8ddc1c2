public import Tables
public import TablesClient

/// The place where rows, queue and errors of an offline table are kept.
///
/// A program may have one of its own, as with `MSSyncContextDataSource`: everything that one call of
/// ``write(_:)`` changes is kept together or not at all.
public protocol SyncStore: Sendable {
    /// Runs `body` on one state of the store.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` and returns when everything that it changed is durable; whatever it throws undoes all of it.
    ///
    /// An error of `body` comes out as it is.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value

    /// Waits until nobody else pushes, pulls or purges over this store, in this process or another, and runs `body`.
    ///
    /// - Throws: `StoreError` `busy` after ``SyncWait/limit``, and what `body` throws.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

/// The rows, operations, errors and settings of a store, within one of its transactions.
///
/// Tables go by their declared names. A store compares ids and names exactly.
public protocol SyncTransaction {
    /// The row of that id; nil if there is none.
    func row(_ id: RowID, in table: String) throws -> RemoteRow?
    /// Every row of a table, in any order.
    func rows(in table: String) throws -> [RemoteRow]
    /// Every row of a table as `body` makes it, in any order; a store may call `body` on several threads.
    func rows(
        in table: String,
        as body: @escaping @Sendable (consuming RemoteRow) -> RemoteRow
    ) throws -> [RemoteRow]
    /// Adds a row, or puts it in the place of the one that has its id.
    func save(_ row: RemoteRow, in table: String) throws
    /// Removes the row of that id, if there is one.
    func removeRow(_ id: RowID, from table: String) throws

    /// The operations of one row, the oldest first.
    func operations(of id: RowID, in table: String) throws -> [TableOperation]
    /// The operations of a table, or of all, the oldest first.
    func operations(in table: String?) throws -> [TableOperation]
    /// The oldest operation whose number is greater than `number`, of these tables; nil for all.
    func operation(after number: Int64, in tables: Set<String>?) throws -> TableOperation?
    /// The ids of the rows of a table that have operations.
    func pendingIDs(in table: String) throws -> Set<String>
    /// Number of operations of a table, or of all.
    func operationCount(in table: String?) throws -> Int
    /// Adds an operation behind all others; its number is one above the greatest, 1 in an empty queue.
    func add(_ operation: TableOperation) throws
    /// Puts an operation in the place of the one that has its number.
    func save(_ operation: TableOperation) throws
    /// Removes the operation of that number and its errors.
    func removeOperation(_ number: Int64) throws

    /// The errors of a table's operations, or of all.
    func errors(in table: String?) throws -> [TableOperationError]
    /// The errors of an operation.
    func errors(of number: Int64) throws -> [TableOperationError]
    /// Adds an error, in the place of any other of its operation.
    func save(_ error: TableOperationError) throws
    /// Removes the errors of an operation.
    func removeErrors(of number: Int64) throws

    /// A setting of a table; nil if it is not set.
    func setting(_ kind: SyncSetting, _ key: String, of table: String) throws -> String?
    /// Sets a setting of a table.
    func set(_ kind: SyncSetting, _ key: String, of table: String, to value: String) throws
    /// Every setting of a kind of a table, by key.
    func settings(_ kind: SyncSetting, of table: String) throws -> [String: String]
    /// Removes a setting of a table, if it is set.
    func removeSetting(_ kind: SyncSetting, _ key: String, of table: String) throws
    /// Removes every setting of a kind of a table.
    func removeSettings(_ kind: SyncSetting, of table: String) throws
}

extension SyncTransaction {
    /// Every row of a table as `body` makes it, on this thread.
    public func rows(
        in table: String,
        as body: @escaping @Sendable (consuming RemoteRow) -> RemoteRow
    ) throws -> [RemoteRow] {
        try rows(in: table).map { body($0) }
    }
}

/// The kinds of settings that a store keeps for each table (`MS_TableConfig.keyType`).
public enum SyncSetting: Int, CaseIterable, Sendable {
    /// The time up to which a query id has been pulled: a date of ISO 8601 with milliseconds.
    case deltaToken = 0
    /// The digest of the query that a query id stands for.
    case query = 1
    /// A row that a pull did not store, by its id, since an edit of it was waiting: the time of the server's last write, or
    /// an empty text if that is not known. The next pull without such an edit asks for the row.
    case skipped = 2
}
