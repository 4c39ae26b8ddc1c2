import DurableSQLite
import Foundation
import GRDB
import Storage

extension SQLiteSyncStore {
    /// Copies the contents into an empty store, and closes this store to writers in all processes.
    ///
    /// The new store can use a different key. The transaction that closes this store checks that nothing has changed
    /// since the copy. After an error, this store stays in use.
    ///
    /// - Returns: `false` if this store was changed during the copy, so the new store must be discarded.
    public func move(to new: SQLiteSyncStore) async throws -> Bool {
        try await move(to: new) {}
    }

    /// Moves the contents like ``move(to:)``, and calls `copied` after the copy but before this store is closed.
    func move(to new: SQLiteSyncStore, copied: () async throws -> Void) async throws -> Bool {
        let get = guarded { try $0.contents() }
        let contents = try await uses.watching { try await database.read { db in try get(db) }.get() }
        let put = new.guarded { try $0.add(contents) }
        try await new.database.write { db in try put(db) }.get()
        try await copied()
        let end = guarded { transaction in
            guard try transaction.contents() == contents else { return false }
            try transaction.setClosedToWriters(true)
            return true
        }
        return try await uses.watching { try await database.write { db in try end(db) }.get() }
    }

    /// Opens the store to writers again if a move closed it but did not finish.
    ///
    /// - Throws: `StoreError` `busy` if the move finished and the store no longer exists.
    public func reopenAfterMove() async throws {
        let isClosed = guarded { try $0.isClosedToWriters() }
        guard try await uses.watching({ try await database.read { db in try isClosed(db) }.get() }) else { return }
        try await exclusively {
            // A move holds the sync lock, so it has now either finished and removed the store, or was interrupted.
            guard FileManager.default.fileExists(atPath: database.path) else { throw SQLiteTransaction.moved }
            let reopen = guarded { try $0.setClosedToWriters(false) }
            try await uses.watching { try await database.write { db in try reopen(db) }.get() }
        }
    }
}

extension SQLiteTransaction {
    /// The value of `PRAGMA user_version` that marks a moved store.
    private static let movedVersion = 0x6D6F_7664

    static let moved = StoreError(.busy, .justMoved)

    func isClosedToWriters() throws -> Bool {
        try Int.fetchOne(db, sql: "PRAGMA user_version") == Self.movedVersion
    }

    func setClosedToWriters(_ isClosed: Bool) throws {
        try db.execute(sql: "PRAGMA user_version = \(isClosed ? Self.movedVersion : 0)")
    }

    func requireOpenToWriters() throws {
        if try isClosedToWriters() { throw Self.moved }
    }
}
