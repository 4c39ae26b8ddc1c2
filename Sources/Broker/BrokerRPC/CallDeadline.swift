import BrokerAPI

/// The time limit of a call; the one place that ends a call before its result is ready.
///
/// A call ends with its result, at its deadline, or when the caller has gone or the service ends, whichever is first.
struct CallDeadline: Sendable {
    /// The longest time, counted from when the call begins to run.
    let duration: Duration
    /// True if the call continues after its caller has gone: it changes state, and an answer being evaluated is already
    /// charged.
    let survivesCaller: Bool

    /// The error of a call that has exceeded its time.
    struct Passed: Error {
        let seconds: Int64
    }

    /// Runs `operation`, and throws ``Passed`` at the deadline at the latest.
    ///
    /// A late operation is cancelled but not awaited: a store that hangs must not hold up its callers.
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
