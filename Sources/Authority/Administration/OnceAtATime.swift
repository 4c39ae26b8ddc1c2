import Synchronization

/// A lock for an operation that must not run more than once at a time.
final class OnceAtATime: Sendable {
    private let isUnderWay = Mutex(false)

    /// Acquires the lock without waiting.
    ///
    /// - Returns: Whether the lock was free.
    func begin() -> Bool {
        isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
    }

    /// Releases the lock.
    func end() { isUnderWay.withLock { $0 = false } }
}
