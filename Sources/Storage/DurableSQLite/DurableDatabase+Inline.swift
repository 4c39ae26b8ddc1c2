public import GRDB
public import Storage

extension DurableDatabase {
    /// Reads from a snapshot of the database on the calling thread.
    ///
    /// If all connections are in use, opens another.
    public func readInline<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        try translating {
            if let value = try near.read(body) { return value }
            guard !near.isClosed else { throw StoreError(.failed, .closed(path)) }
            var configuration = Self.configuration(options)
            configuration.readonly = true
            let own = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? own.close() }
            return try own.read(body)
        }
    }

    /// Reads from a snapshot of the database on the calling thread if a connection is free.
    ///
    /// - Parameters:
    ///   - isOneStatement: Whether `body` runs a single statement, which needs no transaction.
    ///   - body: Reads from the database. It may have run even if the result is `nil`.
    /// - Returns: The result of `body`, or `nil` if no connection is free.
    /// - Throws: An SQLite error, or an error from `body`.
    public func readIfFree<T>(
        isOneStatement: Bool = false,
        _ body: (Database) throws -> T
    ) throws(StoreError) -> T? {
        try translating { try isOneStatement ? near.readStatement(body) : near.read(body) }
    }

    /// Reads a few rows by their keys from a snapshot of the database, on the calling thread if a connection is free.
    ///
    /// Damaged rows are set aside first. Switching to another thread and back would take several times as long as
    /// reading a few rows. To read many rows, use ``read(_:)``.
    ///
    /// - Parameters:
    ///   - isOneStatement: Whether `body` runs a single statement, which needs no transaction.
    ///   - body: Reads from the database. It may run twice.
    /// - Returns: The result of `body`.
    /// - Throws: An SQLite error, or an error from `body`.
    public func find<T: Sendable>(
        isOneStatement: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(StoreError) -> T {
        try await settingAside { [near, pool] in
            do {
                let found = try isOneStatement ? near.readStatement(body) : near.read(body)
                if let found { return .success(found) }
                return .success(try await pool.read(body))
            } catch {
                return .failure(error)
            }
        }
    }
}
