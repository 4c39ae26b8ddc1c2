import Foundation
public import GRDB
public import Logging
import Metrics
public import Moments
public import Storage

/// An SQLite database that keeps what it has acknowledged: private files, WAL, and a commit that waits for the disk.
public struct DurableDatabase: Sendable {
    /// Options for opening a database.
    public struct Options: Sendable {
        /// The state directory.
        public let directory: StateDirectory
        /// The file in it.
        public let file: String
        /// The steps of its schema, oldest first.
        public let migrations: [Migration]
        /// Sealing of its sealed columns; nil if it has none.
        public let sealing: Sealing?
        /// Dates the rows that are set aside.
        public let clock: MomentClock
        /// Kibibytes of pages that each connection keeps at most; the kernel keeps the rest, once for all of them.
        public var cacheSize = 1024
        /// True if a damaged write-ahead log is read as far as SQLite reads it, instead of refused.
        public var acceptsDamage = false
        /// Remembers statements for a test.
        public var statements: StatementLog?
        /// Looks at the plans of those statements.
        let plans: StatementPlans?
        /// Runs on each connection when it opens, before anything else uses it: adds functions.
        public var prepare: (@Sendable (Database) throws -> Void)?
        /// Warns of rows that are set aside.
        public var logger: Logger?
        /// Runs in the transaction that sets a damaged row aside.
        public var damaged: (@Sendable (Database, DamagedRow) throws -> Void)?

        /// Options for opening a database.
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

    /// The database's path.
    public let path: String

    let pool: DatabasePool
    let near: InlineReaders
    let writer: Writer
    let options: Options
    let quiet = QuietFile()

    /// Opens a database, making it if there is none, and brings its schema up to date.
    ///
    /// A database of another key, of a newer version or of one before 0.1.0 is refused before anything is written; so is a
    /// write-ahead log whose damage would lose acknowledged changes.
    public init(_ options: Options) throws(StoreError) {
        let path = options.directory.path(options.file)
        let isNew = try options.directory.preparePrivateFile(options.file)
        for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            try options.directory.preparePrivateFile(options.file + suffix)
        }
        if !isNew, !options.acceptsDamage { try LogCheck(path: path).run() }
        do {
            let isEmpty = try isNew || Preflight(options: options, path: path).isEmpty()
            // Before anything is in it; so the folder is known to hold every file that has something in it.
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

    /// Reads from one state of the database; rows that turn out to be damaged are set aside first.
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

    /// Runs `body` in a transaction and returns when that has been committed to the disk.
    ///
    /// Whatever `body` throws undoes what it changed, and nothing else; rows that turn out to be damaged are set aside
    /// and `body` runs anew.
    @discardableResult
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(StoreError) -> T {
        try await settingAside { [writer] in await writer.write(body) }
    }

    /// Runs `body` with the time of the call in a transaction, and returns when that has been committed to the disk.
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (Database, Moment) throws -> T
    ) async throws(StoreError) -> T {
        let now = options.clock.now
        return try await write { db in try body(db, now) }
    }

    /// Sets a row aside that does not open: it moves to the table `damaged`.
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

    /// Faults that SQLite finds in the database; empty if it is sound.
    public func check() async throws(StoreError) -> [String] {
        try await read { db in try Self.faults(db) }
    }

    /// Tells whether a database that nobody has open would be refused for its damaged write-ahead log.
    public static func hasDamagedLog(_ path: String) -> Bool { LogCheck(path: path).damage() != nil }

    static func faults(_ db: Database) throws -> [String] {
        let faults = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        let orphans = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { "orphan: \($0.count) columns" }
        return faults + orphans
    }

    /// Moves what the write-ahead log holds into the database file.
    public func checkpoint() async throws(StoreError) { try await checkpoint(.passive) }

    /// Moves what the write-ahead log holds into the database file and empties the log, so that it keeps no former value.
    public func emptyLog() async throws(StoreError) { try await checkpoint(.truncate) }

    private func checkpoint(_ mode: Database.CheckpointMode) async throws(StoreError) {
        do {
            try await pool.writeWithoutTransaction { db in _ = try db.checkpoint(mode) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Closes the database; whatever is called afterwards fails.
    ///
    /// The database file holds everything then: the write-ahead log goes with the last connection.
    public func close() throws(StoreError) {
        try translating {
            try options.plans?.closing(self)
            // The pool closes its writer first, and a reader that comes last may not write the log back.
            try near.close()
            pool.releaseMemory()
            try pool.close()
        }
    }

    /// Runs a part of the work, and throws as the store's what SQLite throws.
    func translating<T>(_ body: () throws -> T) throws(StoreError) -> T {
        do {
            return try body()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Number of damaged rows that one call sets aside before it gives up.
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
                // SQLite is not at fault where the caller gave up.
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

/// Error that undoes a transaction and still answers `value`.
public struct Undone<T: Sendable>: Error {
    let value: T

    /// Undoes the transaction and answers `value`.
    public init(_ value: T) {
        self.value = value
    }
}
