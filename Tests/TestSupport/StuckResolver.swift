import Dispatch
import Synchronization

/// A resolver that blocks on names of `stuck.example` until it is released, and resolves all other names at once.
public final class StuckResolver: Sendable {
    private struct State {
        var asked: [String] = []
        var waiting: [DispatchSemaphore] = []
        var isLetGo = false
    }

    private let state = Mutex(State())

    /// Creates a blocked resolver.
    public init() {}

    /// The requested names, in order.
    public var asked: [String] { state.withLock { $0.asked } }

    /// Looks a name up, and refuses none of its addresses.
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

    /// Ends all lookups, both pending and future ones.
    public func letGo() {
        let waiting = state.withLock { state in
            state.isLetGo = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for wait in waiting { wait.signal() }
    }
}
