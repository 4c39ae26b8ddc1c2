import JSONRPC

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
    let outcome = CallOutcome<Success>()
    let work = Task {
        do {
            outcome.finish(.success(try await operation()))
        } catch {
            outcome.finish(.failure(error))
        }
    }
    let timer = Task {
        guard (try? await Task.sleep(for: deadline)) != nil else { return }
        work.cancel()
        outcome.finish(.failure(DeadlinePassed(seconds: deadline.components.seconds)))
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { outcome.deliver(to: $0) }
    } onCancel: {
        if survives { return }
        work.cancel()
        outcome.finish(.failure(CancellationError()))
    }
}
