import Synchronization

final class OnceAtATime: Sendable {
    private let isUnderWay = Mutex(false)

    /// Acquires the lock if it is free, and returns whether it was free.
    func begin() -> Bool {
        isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
    }

    func end() { isUnderWay.withLock { $0 = false } }
}
