import Files
import Foundation
import Moments
import Storage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Finds damage in a write-ahead log that SQLite would pass over in silence, before a database is opened.
struct LogRepair {
    /// How many damaged logs are kept.
    static let keptAtMost = 4
    /// What the name of a log ends with that somebody gave up.
    static let givenUp = ".given-up"

    let directory: StateDirectory
    let file: String
    let clock: MomentClock

    private var path: String { directory.path(file) }
    private var logName: String { file + "-wal" }
    private var logPath: String { directory.path(logName) }

    /// Mends the log if it is damaged, and does nothing where it is sound or another has the database open.
    ///
    /// - Parameter check: Whether the database may be opened at all, which is asked before anything is changed; it may
    ///   open the database and close it again.
    /// - Returns: What was done; nil if nothing was.
    /// - Throws: `corrupt` if acknowledged changes are lost, and what `check` throws; nothing was changed then.
    func run(_ check: () throws(StoreError) -> Void) throws(StoreError) -> LogReport? {
        guard try whereMendable({ _, _ throws(StoreError) in true }) == true else { return nil }
        try check()
        // Looked at once more: whoever closes the database gives the lock back, and another may have had it meanwhile.
        return try whereMendable { log, repair throws(StoreError) in
            LogReport(
                path: logPath,
                keptAs: try mend(log, repair),
                damagedPages: repair.damage.frames.count,
                changes: repair.damage.changes
            )
        }
    }

    /// Runs `body` if the log can be mended and nobody has the database open; nobody opens it meanwhile.
    private func whereMendable<T>(
        _ body: (WriteAheadLog, WriteAheadLog.Repair) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        // Whoever has the database open has read its log already. Closing a descriptor of it would take the locks of
        // this process away (fcntl(2)), so this comes first.
        guard let status = try? FileStatus(path: logPath), !isOpenHere(status) else { return nil }
        let database = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard database >= 0 else { return nil }
        defer { close(database) }
        guard lockWhole(database), let size = pageSize(database) else { return nil }
        let pages = Int(lseek(database, 0, SEEK_END)) / size
        guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: logPath), options: .alwaysMapped),
            let log = WriteAheadLog(bytes, pageSize: size, pages: pages)
        else { return nil }
        switch log.verdict {
        case .sound: return nil
        case .mendable(let repair): return try body(log, repair)
        case .lost(let damage): throw StoreError(.corrupt, sentence(damage))
        }
    }

    private func sentence(_ damage: WriteAheadLog.Damage) -> String {
        let places = damage.frames.prefix(8).map { "\($0 + 1)" }.joined(separator: ", ")
        let pages = "\(damage.frames.count) of \(damage.total) pages (\(places)\(damage.frames.count > 8 ? ", …" : ""))"
        let parts = (damage.header ? ["its header"] : []) + (damage.frames.isEmpty ? [] : [pages])
        let changes =
            damage.isDoubtful
            ? "\(damage.changes) changes stand behind the damage, which may or may not have been acknowledged"
            : "\(damage.changes) acknowledged changes stand behind the damage"
        return """
            \(logPath) is damaged: \(parts.joined(separator: " and ")) do not match their checksums, and \
            \(changes); nothing was changed. Restore a backup, or give up all changes in this log, also those before \
            the damage, with: mv \(logPath) \(logPath)\(Self.givenUp)
            """
    }

    // MARK: Changing files

    /// Puts the mended log into the place of the damaged one, which keeps a name of its own.
    private func mend(_ log: WriteAheadLog, _ repair: WriteAheadLog.Repair) throws(StoreError) -> String {
        let draft = "\(logName).mended"
        unlink(directory.path(draft))
        do throws(StoreError) {
            try write(log, repair, to: draft)
            let aside = try nameAside()
            // A second name first: at no time is there no log.
            guard link(logPath, aside) == 0, rename(directory.path(draft), logPath) == 0 else {
                throw StoreError.fromErrno(errno, "cannot replace \(logPath)")
            }
            try directory.synchronize()
            forgetOld()
            return aside
        } catch {
            unlink(directory.path(draft))
            throw error
        }
    }

    private func write(_ log: WriteAheadLog, _ repair: WriteAheadLog.Repair, to draft: String) throws(StoreError) {
        try directory.preparePrivateFile(draft)
        do {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.path(draft)))
            defer { try? file.close() }
            try file.write(contentsOf: repair.header)
            for frame in repair.frames {
                try file.write(contentsOf: frame.header)
                try file.write(contentsOf: log.page(frame.place))
            }
            try file.synchronize()
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            throw StoreError(.full, "the disk is full; \(logPath) is damaged and was not mended")
        } catch {
            throw StoreError(.failed, "\(logPath) is damaged and cannot be mended: \(error)")
        }
    }

    /// A name that nothing has: the moment, and a number if there are several of it.
    private func nameAside() throws(StoreError) -> String {
        let format = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        let name = directory.path("\(logName).damaged-\(clock.now.date.formatted(format))")
        let names = [name] + (2...Self.keptAtMost + 2).map { "\(name)-\($0)" }
        guard let free = names.first(where: { access($0, F_OK) != 0 }) else {
            throw StoreError(.conflict, "\(name) is there already")
        }
        return free
    }

    /// Removes all but the newest of what was put aside.
    private func forgetOld() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        let kept = names.filter { $0.hasPrefix("\(logName).damaged-") }.sorted()
        for name in kept.dropLast(Self.keptAtMost) { unlink(directory.path(name)) }
    }

    // MARK: Whose it is

    /// Takes SQLite's own lock of the database for who is alone with it; it ends when the descriptor is closed.
    ///
    /// Each process that has the database open holds a part of these bytes (SQLite file format §1.3.1, os_unix.c).
    private func lockWhole(_ database: CInt) -> Bool {
        FileLock.take(database, from: 0x4000_0000, count: 512)
    }

    private func pageSize(_ database: CInt) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 18)
        guard pread(database, &bytes, bytes.count, 0) == bytes.count,
            bytes.starts(with: Array("SQLite format 3\0".utf8))
        else { return nil }
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        if size == 1 { return 65_536 }
        return size >= 512 && size & (size - 1) == 0 ? size : nil
    }

    /// Whether this process has the log open.
    private func isOpenHere(_ log: FileStatus) -> Bool {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return open.compactMap { Int32($0) }.contains { descriptor in
            guard let status = try? FileStatus(descriptor: descriptor) else { return false }
            return status.device == log.device && status.inode == log.inode
        }
    }
}
