import Synchronization

/// Something that happens once, seen by another thread.
final class OneShot: Sendable {
    private let value = Atomic(false)

    /// True once it has happened.
    var isSet: Bool { value.load(ordering: .acquiring) }

    /// Lets it happen.
    func set() { value.store(true, ordering: .releasing) }
}
