public import GRDB
import Synchronization

extension Database {
    /// Runs a closure after the change in progress is committed.
    ///
    /// The closure does not run if the change is rolled back.
    ///
    /// GRDB's `afterNextTransaction` discards the compiled `DELETE` statements of the connection, and recompiling them
    /// takes longer than all other writes of a sign-in.
    ///
    /// - Parameter effect: The closure. It runs before the change returns to its caller.
    public func afterCommit(_ effect: @escaping @Sendable () -> Void) {
        CommitEffects.current?.add(effect)
    }
}

/// The closures to run after one change is committed.
final class CommitEffects: Sendable {
    /// The effects of the change in progress, or `nil` outside of ``Writer``.
    @TaskLocal static var current: CommitEffects?

    private let effects = Mutex<[@Sendable () -> Void]>([])

    func add(_ effect: @escaping @Sendable () -> Void) { effects.withLock { $0.append(effect) } }

    /// Runs the closures in the order in which they were added.
    func run() {
        for effect in effects.withLock({ $0 }) { effect() }
    }
}
