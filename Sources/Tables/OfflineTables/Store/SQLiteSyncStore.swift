import DurableSQLite
import Files
import Foundation
import GRDB
public import Moments
public import OAuth
public import Storage
import Synchronization

/// A store in a private SQLite file, sealed or plain; two processes that have it open wait for each other.
public struct SQLiteSyncStore: SyncStore {
    /// The database's file.
    public static let file = "store.sqlite"
    private static let purpose = "offline tables"

    let database: DurableDatabase
    private let sealing: Sealing?
    /// The database's file; another process may put a new one in its place.
    private let file: FileStatus?
    let uses = StoreUses()

    /// Opens the store of a folder, making it if there is none.
    ///
    /// - Parameters:
    ///   - directory: A private folder of its own.
    ///   - key: 32 bytes, under which rows and operations are sealed; nil for a plain file.
    ///   - clock: The time.
    /// - Throws: `StoreError`: `newerSchema` for a store of a newer version, `olderSchema` for one of a version before 0.1.0,
    ///   `wrongKey` for one of another key or one that is sealed where no key is given, `corrupt` or `damagedLog` for one that is damaged; nothing was changed.
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

    /// The options of a store's database.
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

    /// Opens the store of a folder; one that is damaged is set aside first, and what can still be read of its queue is
    /// written beside it.
    ///
    /// - Returns: The store, and what was set aside; nil if the store was sound or new.
    /// - Throws: `StoreError`, as ``init(_:key:clock:)``, for everything but damage; `busy` if another process syncs over the
    ///   store for too long.
    public static func rescuing(
        _ directory: StateDirectory,
        key: Secret?,
        clock: MomentClock
    ) async throws -> (store: SQLiteSyncStore, rescued: StoreRescue?) {
        if let store = try sound(directory, key: key, clock: clock) { return (store, nil) }
        let turn = try await turn(directory)
        defer { withExtendedLifetime(turn) {} }
        // Another process may have done it meanwhile.
        if let store = try sound(directory, key: key, clock: clock) { return (store, nil) }
        let rescued = try rescue(directory, key: key, clock: clock)
        return (try SQLiteSyncStore(directory, key: key, clock: clock), rescued)
    }

    /// The store of a folder; nil if its damage shows at once.
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

    /// Closes a store of which damage has shown, sets it aside, and writes what can still be read of its queue beside it;
    /// the next one that opens is new.
    ///
    /// - Returns: What was set aside; nil if another process has done it.
    /// - Throws: `StoreError`.
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

    /// Whether damage has shown at any statement since the store was opened.
    public var isDamaged: Bool { uses.isDamaged.isSet }

    /// Whether anything was changed since the store was opened.
    public var hasChanged: Bool { uses.hasChanged.isSet }

    private static func rescue(
        _ directory: StateDirectory,
        key: Secret?,
        clock: MomentClock
    ) throws(StoreError) -> StoreRescue {
        let sealing: Sealing? = if let key { try Sealing(key: key, purpose: purpose) } else { nil }
        return try StoreRescue(directory, sealing: sealing, at: clock.now.wall)
    }

    /// Waits until nothing else syncs over the store of a folder; the turn ends with its object.
    private static func turn(_ directory: StateDirectory) async throws -> SyncTurn {
        let turn = try SyncTurn(directory)
        try await SyncWait.until { turn.take() ? () : nil }
        return turn
    }

    /// Closes the database; whatever is called afterwards fails.
    public func close() throws(StoreError) { try database.close() }

    /// Runs `body` on one state of the store.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        let run = guarded { try body($0) }
        return try await uses.watching { try await database.read { db in try run(db) }.get() }
    }

    /// Runs `body` and keeps everything that it changed, or nothing.
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

    /// Waits until nobody else syncs over this store, and runs `body`.
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let turn = try await Self.turn(database.directory)
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
                throw StoreError(.corrupt, .rowDamaged(path: path))
            } catch {
                throw Undone(Result<Value, any Error>.failure(error))
            }
        }
    }
}

/// The uses of an open store, as far as they matter at its end.
final class StoreUses: Sendable {
    /// Something that happens once.
    struct Mark: ~Copyable, Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    let isDamaged = Mark()
    let hasChanged = Mark()

    /// Runs a transaction, and remembers if it meets damage.
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
    /// Whether the store's contents are damaged, so that no later try helps.
    var isDamage: Bool {
        switch code {
        case .corrupt, .damagedLog: true
        default: false
        }
    }
}
