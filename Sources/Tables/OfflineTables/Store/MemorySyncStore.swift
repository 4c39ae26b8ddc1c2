import Synchronization
import Tables
import TablesClient

/// An in-memory store, for tests and for programs that do not need persistence.
public final class MemorySyncStore: SyncStore {
    struct RowKey: Hashable {
        let table: String
        let id: RowID
    }

    struct SettingKey: Hashable {
        let kind: SyncSetting
        let table: String
        let key: String
    }

    struct State {
        var rows: [RowKey: RemoteRow] = [:]
        var operations: [TableOperation] = []
        var errors: [TableOperationError] = []
        var settings: [SettingKey: String] = [:]
    }

    private let state = Mutex(State())
    private let isTaken = Mutex(false)

    /// Creates an empty store.
    public init() {}

    /// Runs `body` with a consistent view of the store.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        try body(Transaction(state.withLock { $0 }))
    }

    /// Runs `body`, and stores either all of its changes or none.
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        try state.withLock { state in
            let transaction = Transaction(state)
            let value = try body(transaction)
            state = transaction.state
            return value
        }
    }

    /// Waits until no other sync is using this store, then runs `body`.
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await SyncWait.until { () -> Void? in
            isTaken.withLock { isTaken in
                if isTaken { return nil }
                isTaken = true
                return ()
            }
        }
        defer { isTaken.withLock { $0 = false } }
        return try await body()
    }
}

extension MemorySyncStore {
    /// A transaction on a copy of the store's state.
    final class Transaction: SyncTransaction {
        var state: State

        init(_ state: State) {
            self.state = state
        }

        func row(_ id: RowID, in table: String) -> RemoteRow? { state.rows[RowKey(table: table, id: id)] }

        func rows(in table: String) -> [RemoteRow] { state.rows.filter { $0.key.table == table }.map(\.value) }

        func save(_ row: RemoteRow, in table: String) { state.rows[RowKey(table: table, id: row.id)] = row }

        func removeRow(_ id: RowID, from table: String) { state.rows[RowKey(table: table, id: id)] = nil }

        func operations(of id: RowID, in table: String) -> [TableOperation] {
            operations(in: table).filter { $0.itemID == id }
        }

        func operations(in table: String?) -> [TableOperation] {
            state.operations.filter { table == nil || $0.table == table }
        }

        func operation(after number: Int64, in tables: Set<String>?) -> TableOperation? {
            state.operations.first { $0.id > number && tables?.contains($0.table) ?? true }
        }

        func pendingIDs(in table: String) -> Set<String> { Set(operations(in: table).map(\.itemID.text)) }

        func operationCount(in table: String?) -> Int { operations(in: table).count }

        func add(_ operation: TableOperation) {
            state.operations.append(operation.numbered((state.operations.last?.id ?? 0) + 1))
        }

        func save(_ operation: TableOperation) {
            guard let index = state.operations.firstIndex(where: { $0.id == operation.id }) else { return }
            state.operations[index] = operation
        }

        func removeOperation(_ number: Int64) {
            state.operations.removeAll { $0.id == number }
            removeErrors(of: number)
        }

        func errors(in table: String?) -> [TableOperationError] {
            state.errors.filter { table == nil || $0.table == table }
        }

        func errors(of number: Int64) -> [TableOperationError] { state.errors.filter { $0.operationID == number } }

        func save(_ error: TableOperationError) {
            removeErrors(of: error.operationID)
            state.errors.append(error)
        }

        func removeErrors(of number: Int64) { state.errors.removeAll { $0.operationID == number } }

        func setting(_ kind: SyncSetting, _ key: String, of table: String) -> String? {
            state.settings[SettingKey(kind: kind, table: table, key: key)]
        }

        func set(_ kind: SyncSetting, _ key: String, of table: String, to value: String) {
            state.settings[SettingKey(kind: kind, table: table, key: key)] = value
        }

        func settings(_ kind: SyncSetting, of table: String) -> [String: String] {
            var found: [String: String] = [:]
            for (key, value) in state.settings where key.kind == kind && key.table == table { found[key.key] = value }
            return found
        }

        func removeSetting(_ kind: SyncSetting, _ key: String, of table: String) {
            state.settings[SettingKey(kind: kind, table: table, key: key)] = nil
        }

        func removeSettings(_ kind: SyncSetting, of table: String) {
            state.settings = state.settings.filter { $0.key.kind != kind || $0.key.table != table }
        }
    }
}
