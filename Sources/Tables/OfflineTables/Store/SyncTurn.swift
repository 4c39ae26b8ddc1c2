import Files
import Storage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The turn to push, pull or purge over a store's folder; it ends with this object, or with the process.
final class SyncTurn: Sendable {
    private static let file = "sync.lock"
    private let descriptor: CInt

    init(_ directory: StateDirectory) throws(StoreError) {
        try directory.preparePrivateFile(Self.file)
        let path = directory.path(Self.file)
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .fromErrno(errno, "cannot open \(path)") }
    }

    deinit {
        close(descriptor)
    }

    /// Takes the turn; false if somebody has it.
    func take() -> Bool { FileLock.take(descriptor, from: 0, count: 1) }
}
