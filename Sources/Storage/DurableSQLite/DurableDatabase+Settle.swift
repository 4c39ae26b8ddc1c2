import Files
import GRDB
import Synchronization

extension DurableDatabase {
    /// Moves the write-ahead log into the database file if nothing has been written since the last call.
    ///
    /// Call this about once a second, so only the most recent changes can be lost if the log is damaged.
    public func settle() async {
        guard let log = try? FileStatus(path: path + "-wal"), log.size > 0, quiet.isSame(log) else { return }
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        configuration.label = "\(options.file) settling"
        // An error here is ignored. The same problem affects writers, which report it.
        guard let own = try? DatabaseQueue(path: path, configuration: configuration) else { return }
        defer { try? own.close() }
        try? await own.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // Most of the work runs concurrently with other callers. Only truncating the log takes locks, for a moment.
            let done = try db.checkpoint(.passive)
            guard done.walFrameCount == done.checkpointedFrameCount else { return }
            _ = try db.checkpoint(.truncate)
        }
    }
}

/// Detects whether a file was written to between two calls.
final class QuietFile: Sendable {
    private let last = Mutex<FileStatus?>(nil)

    func isSame(_ status: FileStatus) -> Bool {
        last.withLock { last in
            defer { last = status }
            return last == status
        }
    }
}
