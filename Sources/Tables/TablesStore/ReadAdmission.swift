import DurableSQLite
import GRDB
import Moments
import TablesSQLite

/// The threads of reads: short ones run on the thread that asks, which saves several changes of threads, others elsewhere.
///
/// A thread that asks never waits for a connection, and is given back when a query turns out to be long. Long ones run a
/// few at a time (``SlowReads``).
final class ReadAdmission: Sendable {
    private let long = SlowReads()
    private let clock: MomentClock
    private let whole: QueryBudget.Limits

    /// Places of a store.
    ///
    /// - Parameters:
    ///   - clock: The clock of the queries' budgets.
    ///   - whole: The limits of a long read.
    init(clock: MomentClock, whole: QueryBudget.Limits = .whole) {
        self.clock = clock
        self.whole = whole
    }

    /// The numbers of long reads that run and that wait now.
    var load: (running: Int, waiting: Int) { long.load }

    /// Reads from one state of the database.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - owner: The owner of the rows, under whose name long reads are counted if no client is told.
    ///   - client: The client that it is for; a long read ends when that goes.
    ///   - isOneStatement: True if `body` runs a single statement, which is spared the transaction around it.
    ///   - body: Reads, within a budget; it may run twice.
    /// - Returns: The result of `body`.
    /// - Throws: ``TablesStoreError`` as `body` does, `tooCostly` if the whole budget is used up, `abandoned` if the client
    ///   went first, and `StoreError`.
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
        // SQLite forgets an interrupt that comes before its first step; what nobody waits for ends by its budget, too.
        return try await withTaskCancellationHandler {
            try await database.read { db in try Self.result { try body(db, budget) } }.get()
        } onCancel: {
            budget.end()
        }
    }

    /// Nil if no connection is free.
    private func readHere<Value: Sendable>(
        _ database: DurableDatabase,
        _ isOneStatement: Bool,
        _ body: (Database, QueryBudget) throws -> Value
    ) throws -> Value? {
        try database.readIfFree(isOneStatement: isOneStatement) { db in
            try Self.result { try body(db, QueryBudget(.short, clock: clock)) }
        }?.get()
    }

    /// The store's own refusals go through the database as they are.
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

/// The client that a read is for, which may go before a long one ends.
public struct ReadClient: Sendable {
    /// The name under which its long reads are counted.
    let share: @Sendable () -> String
    /// Returns once the client has gone, or the task is cancelled.
    let untilGone: @Sendable () async -> Void
    /// Reserves memory for an answer that has grown to so many bytes; false if there is none.
    let fits: @Sendable (Int) -> Bool

    /// A client.
    ///
    /// - Parameters:
    ///   - share: Names those whose long reads are counted together; called for long reads only.
    ///   - untilGone: Returns once the client has gone, or the task is cancelled.
    ///   - fits: Reserves memory for an answer that has grown to so many bytes; false if there is none. Called where rows are
    ///     read, so it may not wait.
    public init(
        share: @escaping @Sendable () -> String,
        untilGone: @escaping @Sendable () async -> Void,
        fits: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) {
        self.share = share
        self.untilGone = untilGone
        self.fits = fits
    }

    /// Runs `body` in a task that is cancelled when the client goes.
    ///
    /// - Throws: ``TablesStoreError`` `abandoned` if the client went first, and as `body` does.
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
