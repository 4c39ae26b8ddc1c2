import Foundation
import Glibc
import Synchronization

/// A file that one process at a time can lock, until the process releases the lock, exits or crashes.
public final class LockFile: Sendable {
    private let file: CInt

    /// Takes the lock, and writes this process's pid into the file.
    ///
    /// - Throws: `inUse` if another process has the lock, or another error if the file cannot be locked or written.
    public init(_ name: String, in directory: StateDirectory) throws(StoreError) {
        try directory.preparePrivateFile(name)
        let path = directory.path(name)
        let file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw .fromErrno(errno) { .cannotOpen(path, why: $0) } }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let why = errno
            close(file)
            guard why == EWOULDBLOCK else { throw .fromErrno(why) { .cannotLock(path, why: $0) } }
            let bytes = try directory.readPrivateFile(name, limit: 64) ?? Data()
            let holder = Int32(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
            throw StoreError(.inUse, .inUse(directory.path, by: holder))
        }
        self.file = file
        let pid = Array("\(getpid())\n".utf8)
        guard ftruncate(file, 0) == 0, pid.withUnsafeBytes({ pwrite(file, $0.baseAddress, $0.count, 0) }) == pid.count
        else { throw .fromErrno(errno) { .cannotWrite(path, why: $0) } }
    }

    deinit {
        close(file)
    }
}
