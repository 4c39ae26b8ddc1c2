import DurableSQLite
import Foundation
import GRDB
import Storage

extension SQLiteSyncStore {
    /// Copies rows, queue, errors and settings into a new store, which may be sealed otherwise, and closes this one to
    /// writers, in whatever process they have it open.
    ///
    /// The transaction that closes it sees that nothing was changed since it was read, so no edit is lost between the two.
    ///
    /// - Parameter new: An empty store.
    /// - Returns: False if this store was changed meanwhile; it goes on then, and the new one is of no use.
    /// - Throws: What either store throws; this one goes on then.
    public func move(to new: SQLiteSyncStore) async throws -> Bool {
        try await move(to: new) {}
    }

    /// Moves as the other one does, and calls `copied` between the copy and the end.
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

    /// Opens the store to writers again, if a move that closed it did not come to its end.
    ///
    /// - Throws: `StoreError` `busy` if the move went on and the store is gone.
    public func reopenAfterMove() async throws {
        let isClosed = guarded { try $0.isClosedToWriters() }
        guard try await uses.watching({ try await database.read { db in try isClosed(db) }.get() }) else { return }
        try await exclusively {
            // Whoever moves has the turn: by now the store is gone, or the move has ended before its time.
            guard FileManager.default.fileExists(atPath: database.path) else { throw SQLiteTransaction.moved }
            let reopen = guarded { try $0.setClosedToWriters(false) }
            try await uses.watching { try await database.write { db in try reopen(db) }.get() }
        }
    }
}

extension SQLiteTransaction {
    /// The user version of a store that was moved; SQLite keeps it in the file's header, beside the mark of the schema.
    private static let movedVersion = 0x6D6F_7664

    /// The refusal of a write to a store that was moved.
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
