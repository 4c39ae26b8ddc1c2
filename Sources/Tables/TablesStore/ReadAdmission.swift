import DurableSQLite
import GRDB
import Moments
import TablesSQLite

/// Decides which thread a read runs on.
///
/// Short reads run on the calling thread, which avoids thread switches. Long reads run on other threads.
///
/// A read on the calling thread never waits for a connection, and is moved to another thread if it turns out to be
/// long. Only a few long reads run at the same time (``SlowReads``).
final class ReadAdmission: Sendable {
    private let long = SlowReads()
    private let clock: MomentClock
    private let whole: QueryBudget.Limits

    /// Creates the admission control for a store's reads.
    ///
    /// - Parameters:
    ///   - clock: The clock for the time limits of queries.
    ///   - whole: The limits of a long read.
    init(clock: MomentClock, whole: QueryBudget.Limits = .whole) {
        self.clock = clock
        self.whole = whole
    }

    /// The numbers of long reads that are running and waiting.
    var load: (running: Int, waiting: Int) { long.load }

    /// Reads from a consistent view of the database.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - owner: The owner of the rows. Long reads without a client are counted under this name.
    ///   - client: The client that is waiting for the result. A long read stops when the client disconnects.
    ///   - isOneStatement: Whether `body` runs only one statement. If so, no transaction is necessary.
    ///   - body: Reads within a budget. It can be called twice.
    /// - Returns: The result of `body`.
    /// - Throws: Errors that `body` throws, ``TablesStoreError`` `tooCostly` if the whole budget is used up,
    ///   `abandoned` if the client disconnected first, and `StoreError`.
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
        // SQLite ignores an interrupt that arrives before the first step of a statement. In that case, the budget stops
        // the abandoned query.
        return try await withTaskCancellationHandler {
            try await database.read { db in try Self.result { try body(db, budget) } }.get()
        } onCancel: {
            budget.end()
        }
    }

    /// Reads on the calling thread.
    ///
    /// Returns `nil` if no connection is free.
    private func readHere<Value: Sendable>(
        _ database: DurableDatabase,
        _ isOneStatement: Bool,
        _ body: (Database, QueryBudget) throws -> Value
    ) throws -> Value? {
        try database.readIfFree(isOneStatement: isOneStatement) { db in
            try Self.result { try body(db, QueryBudget(.short, clock: clock)) }
        }?.get()
    }

    /// Runs `body`, and returns a `TablesStoreError` as a value.
    ///
    /// Returning the error as a value prevents the database from converting it.
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
    /// A function that returns the name under which the client's long reads are counted.
    let share: @Sendable () -> String
    /// A function that returns when the client has disconnected or the task is cancelled.
    let untilGone: @Sendable () async -> Void
    /// A function that reserves memory for a response that has grown to the given number of bytes.
    ///
    /// Returns `false` if no memory is available.
    let fits: @Sendable (Int) -> Bool

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - share: Returns the name under which the client's long reads are counted. It is called only for long reads.
    ///   - untilGone: Returns when the client has disconnected or the task is cancelled.
    ///   - fits: Reserves memory for a response that has grown to a number of bytes. Returns `false` if no memory is
    ///     available. It is called while rows are read, so it must not wait.
    public init(
        share: @escaping @Sendable () -> String,
        untilGone: @escaping @Sendable () async -> Void,
        fits: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) {
        self.share = share
        self.untilGone = untilGone
        self.fits = fits
    }

    /// Runs `body` in a task that is cancelled when the client disconnects.
    ///
    /// - Throws: ``TablesStoreError`` `abandoned` if the client disconnected first, or errors that `body` throws.
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
