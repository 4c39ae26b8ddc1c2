import Foundation
public import GRDB
public import Logging
import Metrics
public import Moments
public import Storage

/// A private SQLite database that waits for the disk at each commit, so no acknowledged change is lost.
public struct DurableDatabase: Sendable {
    /// Options for opening a database.
    public struct Options: Sendable {
        /// The state directory.
        public let directory: StateDirectory
        /// The name of the database file in the state directory.
        public let file: String
        /// The steps that create and update the schema, oldest first.
        public let migrations: [Migration]
        /// The encryption for the encrypted columns, or `nil` if there are none.
        public let sealing: Sealing?
        /// The clock that provides the time of changes, including the time at which a row is set aside.
        public let clock: MomentClock
        /// The maximum size of each connection's cache, in KiB, in addition to the kernel's shared cache.
        public var cacheSize = 1024
        /// Whether to use the readable beginning of a damaged write-ahead log instead of rejecting the database.
        public var acceptsDamage = false
        /// The log that records statements for a test, or `nil` to record none.
        public var statements: StatementLog?
        let plans: StatementPlans?
        /// A closure that prepares each new connection before it is used, for example to add functions.
        public var prepare: (@Sendable (Database) throws -> Void)?
        /// The logger for warnings about rows that are set aside, or `nil` to log nothing.
        public var logger: Logger?
        /// A closure that runs in the transaction that sets a damaged row aside.
        public var damaged: (@Sendable (Database, DamagedRow) throws -> Void)?

        /// Creates options, with default values for the properties that are not parameters.
        public init(
            directory: StateDirectory,
            file: String,
            migrations: [Migration],
            sealing: Sealing?,
            clock: MomentClock
        ) {
            self.directory = directory
            self.file = file
            self.migrations = migrations
            self.sealing = sealing
            self.clock = clock
            plans = StatementPlans.current
            statements = plans.map { _ in StatementLog() }
        }
    }

    /// The path of the database.
    public let path: String

    let pool: DatabasePool
    let near: InlineReaders
    let writer: Writer
    let options: Options
    let quiet = QuietFile()

    /// Opens or creates a database, and updates its schema.
    ///
    /// Before writing anything, this initializer rejects a database with another key or an unsupported version, and a
    /// write-ahead log whose damage would cause the loss of acknowledged changes.
    public init(_ options: Options) throws(StoreError) {
        let path = options.directory.path(options.file)
        let isNew = try options.directory.preparePrivateFile(options.file)
        for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            try options.directory.preparePrivateFile(options.file + suffix)
        }
        if !isNew, !options.acceptsDamage { try LogCheck(path: path).run() }
        do {
            let isEmpty = try isNew || Preflight(options: options, path: path).isEmpty()
            // The files' directory entries must be on disk before the files have content.
            if isEmpty { try options.directory.synchronize() }
            pool = try Self.retrying { try Self.openPool(options, path: path) }
        } catch {
            throw StoreError(error, path: path)
        }
        self.path = path
        self.options = options
        near = InlineReaders(path: path, configuration: Self.configuration(options))
        writer = Writer(pool, store: Self.name(of: options.file))
        if let statements = options.statements { options.plans?.opened(self, statements) }
    }

    /// Reads from a snapshot of the database, and runs `body` again if a damaged row was set aside.
    public func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(StoreError) -> T {
        try await settingAside { [pool] in
            do {
                return .success(try await pool.read(body))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Runs `body` in a transaction and returns after its commit is on disk.
    ///
    /// If `body` throws, only its own changes are rolled back. If a damaged row was set aside, `body` runs again.
    @discardableResult
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(StoreError) -> T {
        try await settingAside { [writer] in await writer.write(body) }
    }

    /// Runs `body` with the time of the call in a transaction, and returns after its commit is on disk.
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (Database, Moment) throws -> T
    ) async throws(StoreError) -> T {
        let now = options.clock.now
        return try await write { db in try body(db, now) }
    }

    /// Moves a row that cannot be decrypted into the `damaged` table.
    public func setAside(_ damage: DamagedRow) async throws(StoreError) {
        let column = damage.column
        let isGone = try await writer.write { [options] db in
            try db.run(
                """
                INSERT INTO damaged (table_name, row_key, column_name, sealed, at)
                SELECT :table, \(column.key), :column, \(column.column), :at FROM \(column.table)
                WHERE \(column.key) = :row
                """,
                [
                    "table": column.table, "row": damage.row, "column": column.column,
                    "at": options.clock.now.wall,
                ]
            )
            let gone = try db.run("DELETE FROM \(column.table) WHERE \(column.key) = :row", ["row": damage.row])
            if gone > 0 { try options.damaged?(db, damage) }
            return gone > 0
        }.mapError { StoreError($0, path: path) }.get()
        guard isGone else { return }
        options.logger?.warning(
            "a damaged row was set aside",
            metadata: ["database": "\(path)", "table": "\(column.table)", "column": "\(column.column)"]
        )
    }

    /// Returns the faults that SQLite finds in the database, or an empty array if it is intact.
    public func check() async throws(StoreError) -> [String] {
        try await read { db in try Self.faults(db) }
    }

    /// Whether opening this closed database would fail because its write-ahead log is damaged.
    public static func hasDamagedLog(_ path: String) -> Bool { LogCheck(path: path).damage() != nil }

    static func faults(_ db: Database) throws -> [String] {
        let faults = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        let orphans = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { "orphan: \($0.count) columns" }
        return faults + orphans
    }

    /// Moves the write-ahead log into the database file.
    public func checkpoint() async throws(StoreError) { try await checkpoint(.passive) }

    /// Moves the write-ahead log into the database file and truncates the log, so no old values remain in it.
    public func emptyLog() async throws(StoreError) { try await checkpoint(.truncate) }

    private func checkpoint(_ mode: Database.CheckpointMode) async throws(StoreError) {
        do {
            try await pool.writeWithoutTransaction { db in _ = try db.checkpoint(mode) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Closes the database, after which later calls fail.
    ///
    /// The database file is complete after the last connection has been closed.
    public func close() throws(StoreError) {
        try translating {
            try options.plans?.closing(self)
            // The connection that is closed last must write the log into the database file, which a reader cannot do.
            // The pool closes its writer before its readers, so all readers are closed here first.
            try near.close()
            pool.releaseMemory()
            try pool.close()
        }
    }

    func translating<T>(_ body: () throws -> T) throws(StoreError) -> T {
        do {
            return try body()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// The maximum number of damaged rows that one call sets aside.
    private static let mostDamaged = 16

    func settingAside<T: Sendable>(
        _ body: @Sendable () async -> Result<T, any Error>
    ) async throws(StoreError) -> T {
        for _ in 0..<Self.mostDamaged {
            switch await body() {
            case .success(let value): return value
            case .failure(let undone as Undone<T>): return undone.value
            case .failure(let error as DamagedRow): try await setAside(error)
            case .failure(let error):
                let error = StoreError(error, path: path)
                // An error that follows the task's cancellation is not a fault in SQLite.
                if error.code.isFault, !Task.isCancelled {
                    let labels = [("store", Self.name(of: options.file)), ("code", error.code.rawValue)]
                    Counter(label: "store_errors", dimensions: labels).increment()
                }
                throw error
            }
        }
        throw StoreError(.corrupt, .damagedRows(path, most: Self.mostDamaged))
    }
}

/// An error that rolls a transaction back and makes the call return `value`.
public struct Undone<T: Sendable>: Error {
    let value: T

    /// Creates an error that makes the call return `value`.
    public init(_ value: T) {
        self.value = value
    }
}
