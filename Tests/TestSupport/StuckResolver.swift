import Dispatch
import Synchronization

/// A substitute for name resolution that blocks on names below `stuck.example` until ``letGo()`` is called.
///
/// Lookups of other names end at once.
public final class StuckResolver: Sendable {
    private struct State {
        var asked: [String] = []
        var waiting: [DispatchSemaphore] = []
        var isLetGo = false
    }

    private let state = Mutex(State())

    /// Creates a resolver that blocks.
    public init() {}

    /// The requested names, in order.
    public var asked: [String] { state.withLock { $0.asked } }

    /// Looks up a name, and always returns `false`, which means that no address of the name is refused.
    @Sendable public func refuses(_ name: String) -> Bool {
        let wait: DispatchSemaphore? = state.withLock { state in
            state.asked.append(name)
            guard name.hasSuffix("stuck.example"), !state.isLetGo else { return nil }
            let wait = DispatchSemaphore(value: 0)
            state.waiting.append(wait)
            return wait
        }
        wait?.wait()
        return false
    }

    /// Ends all pending lookups, and lets all future lookups end at once.
    public func letGo() {
        let waiting = state.withLock { state in
            state.isLetGo = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for wait in waiting { wait.signal() }
    }
}
