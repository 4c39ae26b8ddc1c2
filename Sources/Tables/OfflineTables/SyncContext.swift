public import Moments
public import Tables
public import TablesClient

/// The offline tables of a program: one store, the API behind it, and the queue between them (`MSSyncContext`).
///
/// Changes go into the store and its queue in one transaction, and wait there for ``push(tables:)``. One push, pull or
/// purge runs at a time over a store, whatever process it is of.
public struct SyncContext: Sendable {
    /// Runs instead of a plain request for an operation: it may do something before or after it, or replace it.
    ///
    /// `send` sends the operation as the context would have; it returns the server's row, nil for a deletion.
    public typealias OperationHandler =
        @Sendable (_ operation: TableOperation, _ send: @Sendable () async throws -> RemoteRow?) async throws ->
        RemoteRow?
    /// Sees the errors at the end of every push, and may resolve them.
    public typealias CompletionHandler =
        @Sendable (_ context: SyncContext, _ errors: [TableOperationError]) async throws -> Void

    /// The ways in which a program takes part in a sync.
    public struct Options: Sendable {
        /// Decides conflicts; those that it leaves are recorded.
        public var conflicts = ConflictHandler.record
        /// Runs instead of each request of a push; nil for a plain one.
        public var operation: OperationHandler?
        /// Runs at the end of every push that came to its end.
        public var completion: CompletionHandler?
        /// Most operations of a push that are written down as in flight at once, and whose answers may be kept in one
        /// transaction; with 1 each answer is kept before the next operation is sent.
        public var operationsAtOnce = 16
        /// Hears how far a push or pull has come.
        public var progress: (@Sendable (SyncProgress) -> Void)?

        /// The options of a program that takes no part.
        public init() {}
    }

    /// The store.
    public let store: any SyncStore
    /// The API; nil works on the store alone.
    public let client: TablesClient?
    /// The ways in which the program takes part.
    public var options: Options
    let clock: MomentClock
    let watchers = TableWatchers()
    private let tables: [String: TableDeclaration]
    /// The turn of a push, pull or purge is this one's already.
    private var isInTurn = false

    /// Offline tables over a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - tables: The tables with the columns that are kept; others of the server's are left out.
    ///   - client: The API; without it only what needs no network works.
    ///   - options: The ways in which the program takes part.
    ///   - clock: Dates rows that the server has not dated yet.
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

    /// The table of that name in any case.
    ///
    /// - Throws: ``SyncError/Code/invalidContext`` for one that the context does not have.
    public func table(_ name: String) throws(SyncError) -> SyncTable {
        SyncTable(context: self, declaration: try declaration(name))
    }

    /// Number of operations that wait, those in flight among them (`pendingOperationsCount`).
    public func pendingOperationsCount() async throws -> Int {
        try await store.read { try $0.operationCount(in: nil) }
    }

    /// The operations that wait, the oldest first.
    public func pendingOperations() async throws -> [TableOperation] {
        try await store.read { try $0.operations(in: nil) }
    }

    /// The operations that were refused or are in conflict, the oldest first.
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

    /// The same context for what runs within a push.
    var inTurn: SyncContext {
        var context = self
        context.isInTurn = true
        return context
    }

    /// Waits for the turn, unless it is this one's already.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        if isInTurn { return try await body() }
        return try await store.exclusively(body)
    }

    /// Changes a table and tells who watches it.
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
    /// Operations that were sent so far, and those that wait.
    case pushed(Int, waiting: Int)
    /// Rows of a table that arrived so far.
    case pulled(Int, table: String)
}

extension SyncContext {
    /// Sends the operations that wait, in the order in which they were made (`pushWithCompletion`).
    ///
    /// An operation that is refused or in conflict stays, is recorded, and stops no other; an API that cannot be reached
    /// or does not take the token ends the push, as does a store that cannot be written.
    ///
    /// - Parameter tables: Names of tables, whose operations alone are sent; nil for all.
    /// - Returns: Number of operations that the server has done.
    /// - Throws: ``SyncError`` with ``SyncError/Code/pushCompleteWithErrors`` if operations remain that were refused, or
    ///   with the reason for which the push ended early.
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
