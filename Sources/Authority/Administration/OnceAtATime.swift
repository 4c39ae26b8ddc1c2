import Synchronization

final class OnceAtATime: Sendable {
    private let isUnderWay = Mutex(false)

    /// Tries to acquire the lock without waiting, and returns whether the lock was acquired.
    func begin() -> Bool {
        isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
    }

    func end() { isUnderWay.withLock { $0 = false } }
}
