import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
import Storage

/// Describes a damaged store whose database file was renamed, and the pending edits recovered from that store.
public struct StoreRescue: Hashable, Sendable {
    /// The new path of the damaged database, which is not deleted.
    public private(set) var damaged: String
    /// The path of the JSON file with each pending edit as a ``SavedEdit``, or `nil` if no edits were readable.
    public private(set) var edits: String?
    /// The number of pending edits in the file at ``edits``.
    public let count: Int
    /// The number of pending edits that are known to exist but could not be read.
    public let lost: Int

    private static let editsPrefix = "edits-"
    private static let damagedMark = ".damaged-"

    /// Returns whether `name` is the name of a file that contains the pending edits of a damaged store.
    public static func holdsEdits(_ name: String) -> Bool { name.hasPrefix(editsPrefix) }

    /// Returns whether `name` is the name of a damaged database or of a file that contains pending edits.
    public static func isSaved(_ name: String) -> Bool { holdsEdits(name) || name.contains(damagedMark) }

    /// Returns a copy whose paths refer to the directory `folder`.
    public func moved(to folder: String) -> StoreRescue {
        func moved(_ path: String) -> String { "\(folder)/\((path as NSString).lastPathComponent)" }
        var copy = self
        copy.damaged = moved(damaged)
        copy.edits = edits.map(moved)
        return copy
    }

    /// Writes all readable pending edits to a private file, and renames the damaged database.
    ///
    /// The caller must hold the sync lock, so that only one process at a time rescues the store.
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

    /// Reads the edits from a copy of the database in which the schema pages of a new store replace the damaged pages.
    ///
    /// The new pages fit because each table begins at the same page in every store.
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
            // The newest edits may exist only in the write-ahead log.
            if let log = FileManager.default.contents(atPath: directory.path(SQLiteSyncStore.file + "-wal")) {
                try new.makePrivateFile("copy.sqlite-wal", log)
            }
            return DamagedQueue(path: new.path("copy.sqlite"), sealing: sealing).edits()
        } catch {
            return ([], 0)
        }
    }

    /// Prevents other processes from adding edits, which the rescue would lose, if the damage allows a change.
    private static func closeToWriters(_ path: String) {
        // SQLite would overwrite the data after the damage in a write-ahead log that is opened for writing.
        guard !DurableDatabase.hasDamagedLog(path), let queue = try? DatabaseQueue(path: path) else { return }
        defer { try? queue.close() }
        try? queue.writeWithoutTransaction { db in
            try SQLiteTransaction(db: db, sealing: nil).setClosedToWriters(true)
        }
    }
}
