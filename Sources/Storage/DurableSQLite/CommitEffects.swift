public import GRDB
import Synchronization

extension Database {
    /// Runs a closure after the current change is committed, but before the call that made the change returns.
    ///
    /// The closure does not run after a rollback. GRDB's `afterNextTransaction` would discard compiled statements.
    public func afterCommit(_ effect: @escaping @Sendable () -> Void) {
        CommitEffects.current?.add(effect)
    }
}

final class CommitEffects: Sendable {
    /// The effects of the change in progress, or `nil` outside of ``Writer``.
    @TaskLocal static var current: CommitEffects?

    private let effects = Mutex<[@Sendable () -> Void]>([])

    func add(_ effect: @escaping @Sendable () -> Void) { effects.withLock { $0.append(effect) } }

    func run() {
        for effect in effects.withLock({ $0 }) { effect() }
    }
}
