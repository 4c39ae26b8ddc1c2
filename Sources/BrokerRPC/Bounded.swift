import Synchronization

/// A call that took longer than it may.
struct DeadlinePassed: Error {
    let seconds: Int64
}

/// Runs `operation` and answers for it after `deadline` at the latest.
///
/// What is late is cancelled, and nobody waits for it to notice: a store that hangs must not hold its callers. What
/// `survives` its caller's cancellation goes on to its end: an answer that is being evaluated is charged already.
func bounded<Success: Sendable>(
    by deadline: Duration,
    survives: Bool,
    _ operation: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let race = Race<Success>()
    let work = Task {
        do {
            race.finish(.success(try await operation()))
        } catch {
            race.finish(.failure(error))
        }
    }
    let timer = Task {
        guard (try? await Task.sleep(for: deadline)) != nil else { return }
        work.cancel()
        race.finish(.failure(DeadlinePassed(seconds: deadline.components.seconds)))
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { race.await($0) }
    } onCancel: {
        if survives { return }
        work.cancel()
        race.finish(.failure(CancellationError()))
    }
}

/// The first of several outcomes.
private final class Race<Success: Sendable>: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<Success, any Error>)
        case finished(Result<Success, any Error>)
        case delivered
    }

    private let state = Mutex(State.running)

    func await(_ continuation: CheckedContinuation<Success, any Error>) {
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

    func finish(_ result: Result<Success, any Error>) {
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
