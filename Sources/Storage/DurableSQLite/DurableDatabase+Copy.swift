import Foundation
import GRDB
public import Storage

extension DurableDatabase {
    /// The folder it is in.
    public var directory: StateDirectory { options.directory }

    /// Copies what is committed when this is called, and perhaps what is committed while it runs, into a new private
    /// file; writers go on meanwhile.
    ///
    /// - Parameters:
    ///   - name: The file; it must not be there.
    ///   - folder: Where.
    /// - Returns: Its path.
    /// - Throws: `conflict` if it is there, `full`, or what else kept it from being written; nothing is left of it then.
    public func copy(named name: String, in folder: StateDirectory) async throws(StoreError) -> String {
        let target = folder.path(name)
        guard try folder.preparePrivateFile(name) else {
            throw StoreError(.conflict, .exists(target))
        }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(Self.busyTimeout)
            // A connection of its own: those of the pool go on serving, however long this takes.
            let source = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? source.close() }
            // SQLite takes a file of no bytes as the one to make, so its rights are what they were made with.
            try await source.unsafeRead { db in try db.execute(sql: "VACUUM INTO ?", arguments: [target]) }
            try folder.synchronize(file: name)
            try folder.synchronize()
        } catch {
            unlink(target)
            throw StoreError(error, path: target)
        }
        return target
    }

    /// Writes the whole write-ahead log into the database and closes it, so that one file has everything.
    public func seal() throws(StoreError) {
        try translating { try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } }
        try close()
        try options.directory.synchronize(file: (path as NSString).lastPathComponent)
    }
}
