import DurableSQLite
import Foundation
import GRDB
public import Moments
public import OAuth
public import Storage

/// A store in a private SQLite file, sealed or plain; two processes that have it open wait for each other.
public struct SQLiteSyncStore: SyncStore {
    /// The database's file.
    public static let file = "store.sqlite"
    private static let purpose = "offline tables"

    let database: DurableDatabase
    private let sealing: Sealing?

    /// Opens the store of a folder, making it if there is none.
    ///
    /// - Parameters:
    ///   - directory: A private folder of its own.
    ///   - key: 32 bytes, under which rows and operations are sealed; nil for a plain file.
    ///   - clock: The time.
    /// - Throws: `StoreError`: `newerSchema` for a store of a newer version, `wrongKey` for one of another key or one
    ///   that is sealed where no key is given, `corrupt` or `damagedLog` for one that is damaged; nothing was changed.
    public init(_ directory: StateDirectory, key: Secret?, clock: MomentClock) throws(StoreError) {
        let sealing: Sealing? = if let key { try Sealing(key: key, purpose: Self.purpose) } else { nil }
        let options = DurableDatabase.Options(
            directory: directory,
            file: Self.file,
            migrations: SyncSchema.migrations,
            sealing: sealing,
            clock: clock
        )
        self.sealing = sealing
        database = try DurableDatabase(options)
        guard sealing == nil else { return }
        let isSealed = try database.readNow { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM key_check") ?? 0 > 0
        }
        if isSealed {
            try? database.close()
            throw StoreError(.wrongKey, "\(database.path) is sealed and no key was given; nothing was changed")
        }
    }

    /// Opens the store of a folder; one that is damaged is set aside first, and what can still be read of its queue is
    /// written beside it.
    ///
    /// - Returns: The store, and what was set aside; nil if the store was sound or new.
    /// - Throws: `StoreError`, as ``init(_:key:clock:)``, for everything but damage.
    public static func rescuing(
        _ directory: StateDirectory,
        key: Secret?,
        clock: MomentClock
    ) throws(StoreError) -> (store: SQLiteSyncStore, rescued: StoreRescue?) {
        do throws(StoreError) {
            return (try SQLiteSyncStore(directory, key: key, clock: clock), nil)
        } catch  where error.code == .corrupt || error.code == .damagedLog {
            let sealing: Sealing? = if let key { try Sealing(key: key, purpose: purpose) } else { nil }
            let rescued = try StoreRescue(directory, sealing: sealing, at: clock.now.wall)
            return (try SQLiteSyncStore(directory, key: key, clock: clock), rescued)
        }
    }

    /// Closes the database; whatever is called afterwards fails.
    public func close() throws(StoreError) { try database.close() }

    /// Runs `body` on one state of the store.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        let run = guarded { try body($0) }
        return try await database.read { db in try run(db) }.get()
    }

    /// Runs `body` and keeps everything that it changed, or nothing.
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        let run = guarded { transaction in
            try transaction.requireOpenToWriters()
            return try body(transaction)
        }
        return try await database.write { db in try run(db) }.get()
    }

    /// Waits until nobody else syncs over this store, and runs `body`.
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let turn = try SyncTurn(database.directory)
        try await SyncWait.until { turn.take() ? () : nil }
        defer { withExtendedLifetime(turn) {} }
        return try await body()
    }

    /// The body over a connection: its own errors undo the transaction and come out as they are; those of the database
    /// are the store's.
    func guarded<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Value
    ) -> @Sendable (Database) throws -> Result<Value, any Error> {
        { [sealing, path = database.path] db in
            do {
                return .success(try body(SQLiteTransaction(db: db, sealing: sealing)))
            } catch let error as DatabaseError {
                throw error
            } catch is DamagedRow {
                throw StoreError(.corrupt, "a row of \(path) does not open")
            } catch {
                throw Undone(Result<Value, any Error>.failure(error))
            }
        }
    }
}
