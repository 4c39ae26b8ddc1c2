public import GRDB
import Synchronization

extension Database {
    /// Runs a closure after the current change has been committed, but before the call that made the change returns.
    ///
    /// The closure does not run if the change is rolled back. GRDB's `afterNextTransaction` is not used because it
    /// discards the connection's compiled `DELETE` statements. Recompiling them takes longer than all other writes in
    /// a sign-in.
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
