import Files
import GRDB
import Synchronization

extension DurableDatabase {
    /// Writes the content of the write-ahead log into the database file and empties the log, if nothing was written
    /// since the last call.
    ///
    /// Call this about once a second.
    ///
    /// If the log is later damaged, only the most recent changes can then be lost. This method uses a separate
    /// connection and yields to readers and writers, so no caller waits for it.
    public func settle() async {
        guard let log = try? FileStatus(path: path + "-wal"), log.size > 0, quiet.isSame(log) else { return }
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        configuration.label = "\(options.file) settling"
        // A failure here also affects writers, and they report it.
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

/// Detects whether a file was written between two calls.
final class QuietFile: Sendable {
    private let last = Mutex<FileStatus?>(nil)

    /// Whether the file is unchanged since the last call.
    func isSame(_ status: FileStatus) -> Bool {
        last.withLock { last in
            defer { last = status }
            return last == status
        }
    }
}
