import Synchronization

/// A place among those who hash, for one computation; it is free again after it, or when nobody holds it any more.
///
/// Taken before an attempt is charged, so that an attempt that is charged is also evaluated.
public final class HashPlace: Sendable {
    private let free: Mutex<(@Sendable () -> Void)?>

    init(free: @escaping @Sendable () -> Void) {
        self.free = Mutex(free)
    }

    deinit { release() }

    /// True while the place is held.
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
