import Synchronization

/// The result or error of a call, which is set only once: a result after cancellation or the deadline is ignored.
public final class CallOutcome<Success: Sendable>: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<Success, any Error>)
        case finished(Result<Success, any Error>)
        case delivered
    }

    private let state = Mutex(State.running)

    /// Creates an outcome that is not set yet.
    public init() {}

    /// Resumes `continuation` as soon as the outcome is set, or immediately if it is already set.
    ///
    /// Call this method only once.
    public func deliver(to continuation: CheckedContinuation<Success, any Error>) {
        let result: Result<Success, any Error>? = state.withLock { state in
            guard case .finished(let result) = state else {
                state = .awaited(continuation)
                return nil
            }
            state = .delivered
            return result
        }
        if let result { continuation.resume(with: result) }
    }

    /// Sets the outcome to `result`, unless the outcome is already set.
    public func finish(_ result: Result<Success, any Error>) {
        let continuation: CheckedContinuation<Success, any Error>? = state.withLock { state in
            switch state {
            case .running:
                state = .finished(result)
                return nil
            case .awaited(let continuation):
                state = .delivered
                return continuation
            case .finished, .delivered:
                return nil
            }
        }
        continuation?.resume(with: result)
    }
}
