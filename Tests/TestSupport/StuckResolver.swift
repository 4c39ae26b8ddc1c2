import Dispatch
import Synchronization

/// A resolver that finds no name of `stuck.example` until it is let go, and every other at once.
public final class StuckResolver: Sendable {
    private struct State {
        var asked: [String] = []
        var waiting: [DispatchSemaphore] = []
        var isLetGo = false
    }

    private let state = Mutex(State())

    /// A resolver that is stuck.
    public init() {}

    /// The names that it was asked for, in their order.
    public var asked: [String] { state.withLock { $0.asked } }

    /// Looks a name up; no address of any is refused.
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

    /// Has all look-ups end, those under way and those to come.
    public func letGo() {
        let waiting = state.withLock { state in
            state.isLetGo = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for wait in waiting { wait.signal() }
    }
}
