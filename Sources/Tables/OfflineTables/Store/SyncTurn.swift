import Files
import Glibc
import Storage

/// The lock for one push, pull or purge at a time, which is released on deallocation or when the process exits.
final class SyncTurn: Sendable {
    private static let file = "sync.lock"
    private let descriptor: CInt

    init(_ directory: StateDirectory) throws(StoreError) {
        try directory.preparePrivateFile(Self.file)
        let path = directory.path(Self.file)
        descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .fromErrno(errno) { .cannotOpen(path, why: $0) } }
    }

    deinit {
        close(descriptor)
    }

    func take() -> Bool { FileLock.take(descriptor, from: 0, count: 1) }
}

/// Controls how a push, pull or purge waits while another process or task synchronizes the same store.
public enum SyncWait {
    /// The maximum time to wait.
    public static let limit: Duration = .seconds(120)
    private static let pause: Duration = .milliseconds(20)

    /// Calls `take` repeatedly until `take` returns a value, or throws `StoreError` `busy` after ``limit``.
    static func until<Turn>(_ take: () throws -> Turn?) async throws -> Turn {
        let end = ContinuousClock.now + limit
        while true {
            if let turn = try take() { return turn }
            guard ContinuousClock.now < end else {
                throw StoreError(.busy, .othersSync)
            }
            try await Task.sleep(for: pause)
        }
    }
}
