import Foundation
import GRDB
public import Storage

extension DurableDatabase {
    /// The state directory that contains the database.
    public var directory: StateDirectory { options.directory }

    /// Copies the database into a new private file while writers continue, and returns the file's path.
    ///
    /// The copy contains everything committed before the call, and possibly changes committed during the call.
    ///
    /// - Throws: `conflict` if the file exists, or another error after which the incomplete copy is removed.
    public func copy(named name: String, in folder: StateDirectory) async throws(StoreError) -> String {
        let target = folder.path(name)
        guard try folder.preparePrivateFile(name) else {
            throw StoreError(.conflict, .exists(target))
        }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(Self.busyTimeout)
            // A separate connection leaves the pool's connections to other callers, however long the copy takes.
            let source = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? source.close() }
            // SQLite accepts an empty file as the target, so the file keeps the mode with which it was created.
            try await source.unsafeRead { db in try db.execute(sql: "VACUUM INTO ?", arguments: [target]) }
            try folder.synchronize(file: name)
            try folder.synchronize()
        } catch {
            unlink(target)
            throw StoreError(error, path: target)
        }
        return target
    }

    /// Writes the whole write-ahead log into the database file and closes the database, so the file is complete.
    public func seal() throws(StoreError) {
        try translating { try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } }
        try close()
        try options.directory.synchronize(file: (path as NSString).lastPathComponent)
    }
}
