import Synchronization

/// A reserved slot for one computation on the hashing threads, freed after the computation or with this object.
///
/// The slot is reserved before an attempt is charged, so that every charged attempt is evaluated.
public final class HashPlace: Sendable {
    private let free: Mutex<(@Sendable () -> Void)?>

    init(free: @escaping @Sendable () -> Void) {
        self.free = Mutex(free)
    }

    deinit { release() }

    var isHeld: Bool { free.withLock { $0 != nil } }

    /// Frees the slot, unless it is already free.
    public func release() {
        let free = free.withLock { free in
            defer { free = nil }
            return free
        }
        free?()
    }
}
