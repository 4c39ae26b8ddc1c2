import JSONRPC

/// The time that a call has; the one place that ends a call before its result is there.
///
/// A call ends by its result, when its time is over, or when the caller has gone or the service ends, whichever is first.
struct CallDeadline: Sendable {
    /// The time, from when the call begins to run.
    let duration: Duration
    /// Whether the call goes on when nobody waits for it any more: it changes something, and an answer that is being
    /// evaluated is charged already.
    let survivesCaller: Bool

    /// A call that has taken longer than it may.
    struct Passed: Error {
        let seconds: Int64
    }

    /// Runs `operation` and answers for it when its time is over at the latest.
    ///
    /// A late operation is cancelled, and nobody waits for it to notice: a store that hangs must not hold its callers.
    func result<Success: Sendable>(of operation: @escaping @Sendable () async throws -> Success) async throws -> Success
    {
        let outcome = CallOutcome<Success>()
        let work = Task {
            do {
                outcome.finish(.success(try await operation()))
            } catch {
                outcome.finish(.failure(error))
            }
        }
        let timer = Task {
            guard (try? await Task.sleep(for: duration)) != nil else { return }
            work.cancel()
            outcome.finish(.failure(Passed(seconds: duration.components.seconds)))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { outcome.deliver(to: $0) }
        } onCancel: {
            if survivesCaller { return }
            work.cancel()
            outcome.finish(.failure(CancellationError()))
        }
    }
}
