import Files
import Glibc
import OAuth
import Storage

/// The running processes that use one store, each of which holds a file lock until it ends.
final class LiveRuns: Sendable {
    private static let file = "flows.runs"

    /// The id of this process.
    let own = CorrelationID.random().description
    private let path: String
    private let descriptor: CInt

    /// Acquires the lock that shows other processes that this process is still running.
    init(_ directory: StateDirectory) {
        path = directory.path(Self.file)
        _ = try? directory.preparePrivateFile(Self.file)
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        if descriptor >= 0 { _ = FileLock.take(descriptor, from: Self.place(own), count: 1) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func contains(_ run: String) -> Bool {
        if run == own { return true }
        let other = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard other >= 0 else { return false }
        defer { close(other) }
        return !FileLock.take(other, from: Self.place(run), count: 1)
    }

    /// Returns the offset of the byte that a process locks, a 62-bit FNV-1a hash of the process's id.
    private static func place(_ run: String) -> Int64 {
        let digest = run.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int64(digest >> 2)
    }
}
