import Synchronization

/// A lock on work that is not to run twice at the same time.
final class OnceAtATime: Sendable {
    private let isUnderWay = Mutex(false)

    /// Takes the lock.
    ///
    /// - Returns: False if it is taken already.
    func begin() -> Bool {
        isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
    }

    /// Releases the lock.
    func end() { isUnderWay.withLock { $0 = false } }
}
