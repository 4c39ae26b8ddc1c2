import DurableSQLite
import GRDB
import Moments
import TablesSQLite

/// Runs reads on the calling thread if a connection is free, and restarts long reads on another thread (``SlowReads``).
final class ReadAdmission: Sendable {
    private let long = SlowReads()
    private let clock: MomentClock
    private let whole: QueryBudget.Limits

    init(clock: MomentClock, whole: QueryBudget.Limits = .whole) {
        self.clock = clock
        self.whole = whole
    }

    var load: (running: Int, waiting: Int) { long.load }

    /// Reads from a consistent view of the database.
    ///
    /// Long reads count against `client`, or against `owner` if `client` is `nil`, and stop when the client
    /// disconnects. `body` can be called twice. If `isOneStatement` is `true`, `body` runs only one statement and needs
    /// no transaction.
    ///
    /// - Throws: Errors that `body` throws, `StoreError`, or ``TablesStoreError`` (`tooCostly` if the whole budget is
    ///   used up, `abandoned` if the client disconnected first).
    func read<Value: Sendable>(
        _ database: DurableDatabase,
        owner: String,
        for client: ReadClient? = nil,
        isOneStatement: Bool = false,
        _ body: @escaping @Sendable (Database, QueryBudget) throws -> Value
    ) async throws -> Value {
        do {
            if let value = try readHere(database, isOneStatement, body) { return value }
            return try await readThere(database, .short, body)
        } catch let error as TablesStoreError where error.code == .tooCostly {
            guard let client else {
                return try await long.run(owner) { try await readThere(database, whole, body) }
            }
            let share = client.share()
            return try await client.whileThere { [self] in
                try await long.run(share) { try await readThere(database, whole, body) }
            }
        }
    }

    private func readThere<Value: Sendable>(
        _ database: DurableDatabase,
        _ limits: QueryBudget.Limits,
        _ body: @escaping @Sendable (Database, QueryBudget) throws -> Value
    ) async throws -> Value {
        let budget = QueryBudget(limits, clock: clock)
        // A cancellation also ends the budget, because SQLite ignores an interrupt before a statement's first step.
        return try await withTaskCancellationHandler {
            try await database.read { db in try Self.result { try body(db, budget) } }.get()
        } onCancel: {
            budget.end()
        }
    }

    /// Reads on the calling thread, or returns `nil` if no connection is free.
    private func readHere<Value: Sendable>(
        _ database: DurableDatabase,
        _ isOneStatement: Bool,
        _ body: (Database, QueryBudget) throws -> Value
    ) throws -> Value? {
        try database.readIfFree(isOneStatement: isOneStatement) { db in
            try Self.result { try body(db, QueryBudget(.short, clock: clock)) }
        }?.get()
    }

    /// Runs `body` and returns a thrown `TablesStoreError` as a value, because the database would convert the error.
    private static func result<Value>(_ body: () throws -> Value) throws -> Result<Value, TablesStoreError> {
        do {
            return .success(try body())
        } catch let error as TablesStoreError {
            return .failure(error)
        } catch is QueryTooCostly {
            return .failure(TablesStoreError(.tooCostly))
        }
    }
}

/// A client that is waiting for a read, and may disconnect before a long read finishes.
public struct ReadClient: Sendable {
    let share: @Sendable () -> String
    let untilGone: @Sendable () async -> Void
    let fits: @Sendable (Int) -> Bool

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - share: Returns the name under which the client's long reads are counted. It is called only for long reads.
    ///   - untilGone: Returns when the client has disconnected or the task is cancelled.
    ///   - fits: Reserves memory for a response that has grown to the given number of bytes. Returns `false` if no
    ///     memory is available. It is called while rows are read, so it must not wait.
    public init(
        share: @escaping @Sendable () -> String,
        untilGone: @escaping @Sendable () async -> Void,
        fits: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) {
        self.share = share
        self.untilGone = untilGone
        self.fits = fits
    }

    /// Runs `body`, or cancels it and throws ``TablesStoreError`` `abandoned` if the client disconnects first.
    func whileThere<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { try await body() }
            tasks.addTask {
                await untilGone()
                throw TablesStoreError(.abandoned)
            }
            guard let value = try await tasks.next() else { throw TablesStoreError(.abandoned) }
            return value
        }
    }
}
