import Synchronization

/// A place among those who hash, for one computation; it is free again after it, or when nobody holds it any more.
///
/// Who takes one before he charges an attempt knows that what is charged is also looked at.
public final class HashPlace: Sendable {
    private let free: Mutex<(@Sendable () -> Void)?>

    init(free: @escaping @Sendable () -> Void) {
        self.free = Mutex(free)
    }

    deinit { release() }

    /// Whether it is still held.
    var isHeld: Bool { free.withLock { $0 != nil } }

    /// Frees the place; once is enough.
    public func release() {
        let free = free.withLock { free in
            defer { free = nil }
            return free
        }
        free?()
    }
}
