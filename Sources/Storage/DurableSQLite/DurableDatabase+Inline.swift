public import GRDB
public import Storage

extension DurableDatabase {
    /// Reads from one state of the database, on this thread; over a connection of its own if all are taken.
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

    /// Reads from one state of the database, on this thread, if that needs no waiting.
    ///
    /// - Parameters:
    ///   - isOneStatement: True if `body` runs a single statement, which needs no transaction around it.
    ///   - body: Reads; it may have run when nil is returned.
    /// - Returns: The result of `body`, nil if no connection is free.
    /// - Throws: The error of SQLite, or of `body`.
    public func readIfFree<T>(
        isOneStatement: Bool = false,
        _ body: (Database) throws -> T
    ) throws(StoreError) -> T? {
        try translating { try isOneStatement ? near.readStatement(body) : near.read(body) }
    }

    /// Reads a few rows by their keys from one state of the database, on the thread of the caller where a connection is
    /// free; rows that turn out to be damaged are set aside first.
    ///
    /// The way to another thread and back takes several times as long as such rows do. Whatever reads many is for
    /// ``read(_:)``.
    ///
    /// - Parameters:
    ///   - isOneStatement: True if `body` runs a single statement, which needs no transaction around it.
    ///   - body: Reads; it may run twice.
    /// - Returns: The result of `body`.
    /// - Throws: The error of SQLite, or of `body`.
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
