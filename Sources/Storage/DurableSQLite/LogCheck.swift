import Files
import Foundation
import Glibc
import Storage

/// Looks for damage in a database's write-ahead log before anybody opens the database.
struct LogCheck {
    /// The database.
    let path: String

    private var logPath: String { path + "-wal" }

    /// Refuses a log whose damage would lose acknowledged changes; changes nothing.
    ///
    /// - Throws: `damagedLog`.
    func run() throws(StoreError) {
        guard let damage = damage() else { return }
        let place =
            switch damage {
            case .header: "its header does not match its checksum"
            case .frame(let place, let total):
                "page \(place + 1) of \(total) does not match its checksum, and acknowledged changes stand behind it"
            }
        throw StoreError(.damagedLog, "\(logPath) is damaged: \(place); nothing was changed")
    }

    /// The damage; nil also where another has the database open, who has read the log already.
    func damage() -> WriteAheadLog.Damage? {
        // Closing a descriptor of a database that is open here would take the locks of this process away (fcntl(2)).
        guard let status = try? FileStatus(path: logPath), !isOpenHere(status) else { return nil }
        let database = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard database >= 0 else { return nil }
        defer { close(database) }
        // SQLite's own lock of who is alone with a database; each process that has it open holds a part of these bytes
        // (SQLite file format §1.3.1, os_unix.c). It ends when the descriptor is closed.
        guard FileLock.take(database, from: 0x4000_0000, count: 512),
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: logPath), options: .alwaysMapped)
        else { return nil }
        return bytes.withUnsafeBytes { WriteAheadLog.damage(in: $0) }
    }

    /// Tells whether this process has the log open.
    private func isOpenHere(_ log: FileStatus) -> Bool {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return open.compactMap { Int32($0) }.contains { descriptor in
            guard let status = try? FileStatus(descriptor: descriptor) else { return false }
            return status.device == log.device && status.inode == log.inode
        }
    }
}
