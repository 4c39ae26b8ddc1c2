import Synchronization

/// A lock on something that is done once at a time.
final class OnceAtATime: Sendable {
    private let isUnderWay = Mutex(false)

    /// Takes the lock.
    ///
    /// - Returns: `false` if it is taken.
    func begin() -> Bool {
        isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
    }

    /// Gives the lock back.
    func end() { isUnderWay.withLock { $0 = false } }
}
