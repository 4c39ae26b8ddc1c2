import Synchronization

/// The outcome of a call, which is either the call's result or an error.
///
/// The outcome is set only once. If a call is cancelled or reaches its deadline, for example, a later result is
/// ignored.
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

    /// Resumes `continuation` with the outcome as soon as the outcome is set.
    ///
    /// If the outcome is already set, the continuation is resumed immediately. Call this method only once.
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
