import DurableSQLite
import Files
import Foundation
import GRDB
public import Moments
public import OAuth
public import Storage
import Synchronization

/// A store in a private SQLite file, which can be encrypted and which several processes can open.
public struct SQLiteSyncStore: SyncStore {
    /// The name of the database file.
    public static let file = "store.sqlite"
    private static let purpose = "offline tables"

    let database: DurableDatabase
    private let sealing: Sealing?
    /// The identity of the open database file, which shows whether another process has replaced the file.
    private let file: FileStatus?
    let uses = StoreUses()

    /// Opens or creates the store in its own private directory, and encrypts rows and operations if `key` is not `nil`.
    ///
    /// - Throws: `StoreError` `newerSchema` or `olderSchema` for a store of an unsupported version, `wrongKey` for a
    ///   different or missing key, `corrupt` or `damagedLog` for a damaged store. In these cases nothing is changed.
    public init(_ directory: StateDirectory, key: Secret?, clock: MomentClock) throws(StoreError) {
        let sealing: Sealing? = if let key { try Sealing(key: key, purpose: Self.purpose) } else { nil }
        self.sealing = sealing
        database = try DurableDatabase(Self.options(directory, sealing, clock))
        file = try? FileStatus(path: database.path)
        guard sealing == nil else { return }
        let isSealed = try database.readInline { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM key_check") ?? 0 > 0
        }
        if isSealed {
            try? database.close()
            throw StoreError(.wrongKey, .keyMissing(path: database.path))
        }
    }

    static func options(
        _ directory: StateDirectory,
        _ sealing: Sealing?,
        _ clock: MomentClock
    ) -> DurableDatabase.Options {
        DurableDatabase.Options(
            directory: directory,
            file: file,
            migrations: SyncSchema.steps,
            sealing: sealing,
            clock: clock
        )
    }

    /// Opens the store in a directory, and replaces a damaged store with a new store.
    ///
    /// `rescued` describes the renamed file and the file with the readable edits, or is `nil` if no damage was found.
    ///
    /// - Throws: The same `StoreError`s as ``init(_:key:clock:)``, except for damage. Also `busy` if another process
    ///   takes too long to synchronize the store.
    public static func rescuing(
        _ directory: StateDirectory,
        key: Secret?,
        clock: MomentClock
    ) async throws -> (store: SQLiteSyncStore, rescued: StoreRescue?) {
        if let store = try sound(directory, key: key, clock: clock) { return (store, nil) }
        let turn = try await turn(directory)
        defer { withExtendedLifetime(turn) {} }
        // Another process may have renamed the damaged store in the meantime.
        if let store = try sound(directory, key: key, clock: clock) { return (store, nil) }
        let rescued = try rescue(directory, key: key, clock: clock)
        return (try SQLiteSyncStore(directory, key: key, clock: clock), rescued)
    }

    /// Opens the store in a directory, or returns `nil` if the store is damaged.
    private static func sound(
        _ directory: StateDirectory,
        key: Secret?,
        clock: MomentClock
    ) throws(StoreError) -> SQLiteSyncStore? {
        do throws(StoreError) {
            return try SQLiteSyncStore(directory, key: key, clock: clock)
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// Closes and renames a damaged store, and saves readable edits, or returns `nil` if it is already renamed.
    public func setAside(key: Secret?, clock: MomentClock) async throws -> StoreRescue? {
        let directory = database.directory
        try? close()
        let turn = try await Self.turn(directory)
        defer { withExtendedLifetime(turn) {} }
        guard let now = try? FileStatus(path: directory.path(Self.file)), now.device == file?.device,
            now.inode == file?.inode
        else { return nil }
        return try Self.rescue(directory, key: key, clock: clock)
    }

    /// Whether any statement has found damage since the store was opened.
    public var isDamaged: Bool { uses.isDamaged.isSet }

    /// Whether anything was changed through this store since it was opened.
    public var hasChanged: Bool { uses.hasChanged.isSet }

    private static func rescue(
        _ directory: StateDirectory,
        key: Secret?,
        clock: MomentClock
    ) throws(StoreError) -> StoreRescue {
        let sealing: Sealing? = if let key { try Sealing(key: key, purpose: purpose) } else { nil }
        return try StoreRescue(directory, sealing: sealing, at: clock.now.wall)
    }

    /// Waits for the sync lock of the store in a directory, and returns the lock, which is released on deallocation.
    private static func turn(_ directory: StateDirectory) async throws -> SyncTurn {
        let turn = try SyncTurn(directory)
        try await SyncWait.until { turn.take() ? () : nil }
        return turn
    }

    /// Closes the database, after which all later calls fail.
    public func close() throws(StoreError) { try database.close() }

    /// Runs `body` with a consistent view of the store.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        let run = guarded { try body($0) }
        return try await uses.watching { try await database.read { db in try run(db) }.get() }
    }

    /// Runs `body`, and stores either all of its changes or none.
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        let run = guarded { transaction in
            try transaction.requireOpenToWriters()
            return try body(transaction)
        }
        return try await uses.watching {
            let value = try await database.write { db in try run(db) }.get()
            uses.hasChanged.set()
            return value
        }
    }

    /// Waits until no other sync is using this store, then runs `body`.
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let turn = try await Self.turn(database.directory)
        defer { withExtendedLifetime(turn) {} }
        return try await body()
    }

    /// Returns a function that runs `body` in a transaction, and throws a store error for a damaged row.
    func guarded<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Value
    ) -> @Sendable (Database) throws -> Result<Value, any Error> {
        { [sealing, path = database.path] db in
            do {
                return .success(try body(SQLiteTransaction(db: db, sealing: sealing)))
            } catch let error as DatabaseError {
                throw error
            } catch is DamagedRow {
                throw StoreError(.corrupt, .rowDamaged(path: path))
            } catch {
                throw Undone(Result<Value, any Error>.failure(error))
            }
        }
    }
}

/// Records whether an open store has been changed, and whether damage has been found in it.
final class StoreUses: Sendable {
    struct Mark: ~Copyable, Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    let isDamaged = Mark()
    let hasChanged = Mark()

    func watching<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as StoreError where error.isDamage {
            isDamaged.set()
            throw error
        }
    }
}

extension StoreError {
    /// Whether the error means that the store is damaged.
    var isDamage: Bool {
        switch code {
        case .corrupt, .damagedLog: true
        default: false
        }
    }
}
