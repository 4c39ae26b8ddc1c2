public import Moments
public import Tables
public import TablesClient

/// The offline tables of a program, with a local store, the API's client and a queue of operations to send.
///
/// This type corresponds to `MSSyncContext` in the Azure Mobile Services SDK.
///
/// Each change is written to the store and added to the queue in one transaction. Across all processes, only one push,
/// pull or purge runs on a store at a time.
public struct SyncContext: Sendable {
    /// A function that a push calls for each operation, so the program can do additional work before or after sending.
    ///
    /// `send` sends the operation, and returns the server's row, or `nil` for a deletion.
    public typealias OperationHandler =
        @Sendable (_ operation: TableOperation, _ send: @Sendable () async throws -> RemoteRow?) async throws ->
        RemoteRow?
    /// A function that receives the errors that remain at the end of a push, and can resolve them.
    public typealias CompletionHandler =
        @Sendable (_ context: SyncContext, _ errors: [TableOperationError]) async throws -> Void

    /// Options that customize pushes and pulls.
    public struct Options: Sendable {
        /// The handler that resolves conflicts, which by default records every conflict for the user.
        public var conflicts = ConflictHandler.record
        /// The handler for each operation of a push, or `nil` to send all operations as usual.
        public var operation: OperationHandler?
        /// The handler for errors that remain at the end of a push that was not aborted, or `nil` for no handler.
        public var completion: CompletionHandler?
        /// The maximum number of operations that a push marks as in flight at once.
        ///
        /// If the value is 1, each response is stored before the next operation is sent.
        public var operationsAtOnce = 16
        /// A function that receives the progress of a push or pull, or `nil` to report no progress.
        public var progress: (@Sendable (SyncProgress) -> Void)?

        /// Creates options with the default values.
        public init() {}
    }

    /// The local store.
    public let store: any SyncStore
    /// The API's client, or `nil` if only the local store is used.
    public let client: TablesClient?
    /// The options for every push and pull.
    public var options: Options
    let clock: MomentClock
    let watchers = TableWatchers()
    private let tables: [String: TableDeclaration]
    private var isInTurn = false

    /// Creates a context for the offline tables in a store.
    ///
    /// Columns that are not in `tables` are ignored. Methods that use the network need a `client`. The `clock` supplies
    /// the times of rows that the server has not stored yet.
    public init(
        _ store: any SyncStore,
        tables: [TableDeclaration],
        client: TablesClient? = nil,
        options: Options = Options(),
        clock: MomentClock = .system
    ) {
        self.store = store
        self.client = client
        self.options = options
        self.clock = clock
        self.tables = Dictionary(tables.map { ($0.name.lowercased(), $0) }) { first, _ in first }
    }

    /// Returns the table with the given name, which is compared case-insensitively.
    ///
    /// - Throws: ``SyncError/Code/invalidContext`` if the context has no table with this name.
    public func table(_ name: String) throws(SyncError) -> SyncTable {
        SyncTable(context: self, declaration: try declaration(name))
    }

    /// Returns the number of pending operations, including operations in flight.
    public func pendingOperationsCount() async throws -> Int {
        try await store.read { try $0.operationCount(in: nil) }
    }

    /// Returns the pending operations, oldest first.
    public func pendingOperations() async throws -> [TableOperation] {
        try await store.read { try $0.operations(in: nil) }
    }

    /// Returns the errors of operations that were rejected or are in conflict, oldest first.
    public func errors() async throws -> [TableOperationError] {
        try await store.read { try $0.errors(in: nil) }
    }

    func declaration(_ name: String) throws(SyncError) -> TableDeclaration {
        guard let declaration = tables[name.lowercased()] else {
            throw SyncError(.invalidContext, .noTable(name))
        }
        return declaration
    }

    func api() throws(SyncError) -> TablesClient {
        guard let client else { throw SyncError(.invalidContext, .noAPI) }
        return client
    }

    /// A copy of this context for handlers during a push, which does not wait for the push's sync lock.
    var inTurn: SyncContext {
        var context = self
        context.isInTurn = true
        return context
    }

    /// Waits for the sync lock, unless this context already holds the lock, and runs `body`.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        if isInTurn { return try await body() }
        return try await store.exclusively(body)
    }

    func change<Value: Sendable>(
        _ table: String,
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await store.write(body)
        watchers.changed(table)
        return value
    }
}

/// The progress of a push or a pull.
public enum SyncProgress: Hashable, Sendable {
    /// The number of operations completed so far, and the number of operations still waiting.
    case pushed(Int, waiting: Int)
    /// The number of rows of a table that were stored or removed so far.
    case pulled(Int, table: String)
}

extension SyncContext {
    /// Sends the pending operations of `tables`, oldest first, and returns the number of completed operations.
    ///
    /// If `tables` is `nil`, the operations of all tables are sent. A rejected or conflicting operation stays in the
    /// queue, and its error is recorded. The push is aborted if the API is unreachable or rejects the token, or if the
    /// store cannot be written to.
    ///
    /// - Throws: ``SyncError`` with the code ``SyncError/Code/pushCompleteWithErrors`` if rejected operations remain,
    ///   or with a code that indicates why the push was aborted.
    @discardableResult
    public func push(tables: [String]? = nil) async throws -> Int {
        let client = try api()
        let names = try tables.map { names throws(SyncError) in
            var declared: Set<String> = []
            for name in names { declared.insert(try declaration(name).name) }
            return declared
        }
        return try await exclusively {
            try await PushRun(context: self, client: client, tables: names).run()
        }
    }
}
