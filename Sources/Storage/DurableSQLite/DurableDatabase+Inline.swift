public import GRDB
public import Storage

extension DurableDatabase {
    /// Reads from a snapshot on the calling thread, and opens an additional connection if all connections are in use.
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

    /// Reads from a snapshot on the calling thread, or returns `nil` if no connection is free.
    ///
    /// `body` may have run even if the result is `nil`. `isOneStatement` avoids a transaction for a single statement.
    public func readIfFree<T>(
        isOneStatement: Bool = false,
        _ body: (Database) throws -> T
    ) throws(StoreError) -> T? {
        try translating { try isOneStatement ? near.readStatement(body) : near.read(body) }
    }

    /// Reads a few rows by key from a snapshot, on the calling thread if a connection is free.
    ///
    /// Damaged rows are set aside, so `body` may run more than once. `isOneStatement` avoids a transaction for a single
    /// statement. To read many rows, use ``read(_:)``.
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
