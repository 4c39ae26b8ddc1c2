import DurableSQLite
import GRDB
import Synchronization

/// Where reads run: short ones on the thread that asks, which saves several changes of threads, and all others elsewhere.
///
/// A thread that asks never waits for a connection, and is given back when a query turns out to be long.
final class ReadPlaces: Sendable {
    /// Steps of SQLite's machine that a read may take on the thread that asks: some milliseconds' work.
    static let shortBudget = 200_000

    private let busy = Mutex(0)

    /// Reads from one state of the database.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - body: Reads, within a budget of steps; it may run twice.
    /// - Returns: What `body` read.
    /// - Throws: ``TablesStoreError`` as `body` does, `tooCostly` if the whole budget is used up, and `StoreError`.
    func read<Value: Sendable>(
        _ database: DurableDatabase,
        _ body: @escaping @Sendable (Database, _ budget: Int) throws -> Value
    ) async throws -> Value {
        if let value = try readHere(database, body) { return value }
        busy.withLock { $0 += 1 }
        defer { busy.withLock { $0 -= 1 } }
        return try await database.read { db in try Self.result { try body(db, RawStatement.queryBudget) } }.get()
    }

    /// Nil if there is no place now, or if it takes longer.
    private func readHere<Value: Sendable>(
        _ database: DurableDatabase,
        _ body: (Database, _ budget: Int) throws -> Value
    ) throws -> Value? {
        let isAdmitted = busy.withLock { busy in
            guard busy < DurableDatabase.readers else { return false }
            busy += 1
            return true
        }
        guard isAdmitted else { return nil }
        defer { busy.withLock { $0 -= 1 } }
        do {
            return try database.readNow { db in try Self.result { try body(db, Self.shortBudget) } }.get()
        } catch let error as TablesStoreError where error.code == .tooCostly {
            return nil
        }
    }

    /// The store's own refusals go through the database as they are.
    private static func result<Value>(_ body: () throws -> Value) throws -> Result<Value, TablesStoreError> {
        do {
            return .success(try body())
        } catch let error as TablesStoreError {
            return .failure(error)
        }
    }
}
