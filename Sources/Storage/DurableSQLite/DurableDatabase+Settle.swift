import Files
import GRDB
import Synchronization

extension DurableDatabase {
    /// Empties the write-ahead log into the database if nobody has written since the last call; to be called every second
    /// or so.
    ///
    /// So what may be lost with a damaged log is little, and for a short time. Nobody waits for it: it goes over a
    /// connection of its own, and gives way to whoever reads or writes.
    public func settle() async {
        guard let log = try? FileStatus(path: path + "-wal"), log.size > 0, quiet.isSame(log) else { return }
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        configuration.label = "\(options.file) settling"
        // A failure here hits writers too, and they report it.
        guard let own = try? DatabaseQueue(path: path, configuration: configuration) else { return }
        defer { try? own.close() }
        try? await own.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // The work first, beside everybody; emptying takes locks, but only for as long as cutting a file off.
            let done = try db.checkpoint(.passive)
            guard done.walFrameCount == done.checkpointedFrameCount else { return }
            _ = try db.checkpoint(.truncate)
        }
    }
}

/// Tells whether a file was written since somebody looked last.
final class QuietFile: Sendable {
    private let last = Mutex<FileStatus?>(nil)

    /// Tells whether the file was the same at the last call.
    func isSame(_ status: FileStatus) -> Bool {
        last.withLock { last in
            defer { last = status }
            return last == status
        }
    }
}
