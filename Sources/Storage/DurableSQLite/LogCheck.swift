import Files
import Foundation
import Glibc
import Storage

/// Checks a database's write-ahead log for damage before the database is opened.
struct LogCheck {
    let path: String

    private var logPath: String { path + "-wal" }

    /// Throws `damagedLog` if damage to the log would cause the loss of acknowledged changes.
    func run() throws(StoreError) {
        guard let damage = damage() else { return }
        let place =
            switch damage {
            case .header: "its header does not match its checksum"
            case .frame(let place, let total):
                "page \(place + 1) of \(total) does not match its checksum, and acknowledged changes follow it"
            }
        throw StoreError(.damagedLog, "\(logPath) is damaged: \(place). Nothing was changed.")
    }

    /// Returns the damage to the log, or `nil` if the log is intact or the database is open.
    func damage() -> WriteAheadLog.Damage? {
        // Closing another descriptor of a file that this process has open would release its locks (fcntl(2)).
        guard let status = try? FileStatus(path: logPath), !isOpenHere(status) else { return nil }
        let database = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard database >= 0 else { return nil }
        defer { close(database) }
        // SQLite locks this range for exclusive access. Each process that has the database open locks part of it
        // (SQLite file format §1.3.1, os_unix.c). Closing the descriptor releases the lock.
        guard FileLock.take(database, from: 0x4000_0000, count: 512),
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: logPath), options: .alwaysMapped)
        else { return nil }
        return bytes.withUnsafeBytes { WriteAheadLog.damage(in: $0) }
    }

    private func isOpenHere(_ log: FileStatus) -> Bool {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return open.compactMap { Int32($0) }.contains { descriptor in
            guard let status = try? FileStatus(descriptor: descriptor) else { return false }
            return status.device == log.device && status.inode == log.inode
        }
    }
}
