import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
import Storage

/// A damaged store that was set aside, and the pending edits that could still be read from it.
public struct StoreRescue: Hashable, Sendable {
    /// The path of the damaged database, which stays.
    public private(set) var damaged: String
    /// The path of the JSON file with the pending edits (``SavedEdit``); nil if none could be read.
    public private(set) var edits: String?
    /// Number of pending edits in that file.
    public let count: Int
    /// Number of pending edits that are known of and could not be read.
    public let lost: Int

    private static let editsPrefix = "edits-"
    private static let damagedMark = ".damaged-"

    /// Whether a file of a store's folder holds the pending edits of a damaged store.
    public static func holdsEdits(_ name: String) -> Bool { name.hasPrefix(editsPrefix) }

    /// Whether a file of a store's folder comes from a damaged store: its pending edits, or the damaged database.
    public static func isSaved(_ name: String) -> Bool { holdsEdits(name) || name.contains(damagedMark) }

    /// The same files in another folder.
    public func moved(to folder: String) -> StoreRescue {
        func moved(_ path: String) -> String { "\(folder)/\((path as NSString).lastPathComponent)" }
        var copy = self
        copy.damaged = moved(damaged)
        copy.edits = edits.map(moved)
        return copy
    }

    /// Reads what is left of the queue, writes it into a private file, and moves the database out of the way.
    ///
    /// The caller has the turn to sync, so one process at a time does it.
    init(_ directory: StateDirectory, sealing: Sealing?, at milliseconds: Int64) throws(StoreError) {
        let file = SQLiteSyncStore.file
        Self.closeToWriters(directory.path(file))
        var found = DamagedQueue(path: directory.path(file), sealing: sealing).edits()
        if found.edits.isEmpty, found.lost == 0 { found = Self.editsByNewSchema(directory, sealing, milliseconds) }
        let export = "\(Self.editsPrefix)\(milliseconds).json"
        if !found.edits.isEmpty {
            try directory.makePrivateFile(export, JSONValue.array(found.edits.map(\.json)).bytes)
        }
        let aside = "\(file)\(Self.damagedMark)\(milliseconds)"
        for suffix in ["", "-wal", "-shm"] where access(directory.path(file + suffix), F_OK) == 0 {
            guard rename(directory.path(file + suffix), directory.path(aside + suffix)) == 0 else {
                throw .fromErrno(errno) { .cannotSetAside(directory.path(file), why: $0) }
            }
        }
        try directory.synchronize()
        damaged = directory.path(aside)
        edits = found.edits.isEmpty ? nil : directory.path(export)
        count = found.edits.count
        lost = found.lost
    }

    /// The edits of a copy that has the schema of a new store: tables are made in one order, so theirs begin at the same
    /// pages.
    private static func editsByNewSchema(
        _ directory: StateDirectory,
        _ sealing: Sealing?,
        _ milliseconds: Int64
    ) -> (edits: [SavedEdit], lost: Int) {
        let folder = directory.path("rescue-\(milliseconds)")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let new = try StateDirectory(folder)
            let store = try DurableDatabase(SQLiteSyncStore.options(new, sealing, .system))
            try store.close()
            let model = try Data(contentsOf: URL(fileURLWithPath: store.path))
            let damaged = try Data(contentsOf: URL(fileURLWithPath: directory.path(SQLiteSyncStore.file)))
            guard let bytes = SchemaPages(model)?.over(damaged) else { return ([], 0) }
            try new.makePrivateFile("copy.sqlite", Array(bytes))
            // The newest edits may be in the log alone.
            if let log = FileManager.default.contents(atPath: directory.path(SQLiteSyncStore.file + "-wal")) {
                try new.makePrivateFile("copy.sqlite-wal", log)
            }
            return DamagedQueue(path: new.path("copy.sqlite"), sealing: sealing).edits()
        } catch {
            return ([], 0)
        }
    }

    /// Refuses the writes of another process that has the database open, as far as the damage allows: what it added after
    /// the edits were read would be in neither store.
    private static func closeToWriters(_ path: String) {
        // Opened for writing, SQLite would overwrite what stands behind the damage of a log.
        guard !DurableDatabase.hasDamagedLog(path), let queue = try? DatabaseQueue(path: path) else { return }
        defer { try? queue.close() }
        try? queue.writeWithoutTransaction { db in
            try SQLiteTransaction(db: db, sealing: nil).setClosedToWriters(true)
        }
    }
}
