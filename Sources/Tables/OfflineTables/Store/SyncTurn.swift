import Files
import Glibc
import Storage

/// The turn to push, pull or purge over a store's folder; it ends with this object, or with the process.
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

    /// Takes the turn; false if somebody has it.
    func take() -> Bool { FileLock.take(descriptor, from: 0, count: 1) }
}

/// Waiting for whoever else syncs over the same store.
public enum SyncWait {
    /// The longest time that a push, pull or purge waits for another one.
    public static let limit: Duration = .seconds(120)
    private static let pause: Duration = .milliseconds(20)

    /// Tries until `take` gives something.
    ///
    /// - Throws: `StoreError` `busy` after ``limit``, or `CancellationError`.
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
