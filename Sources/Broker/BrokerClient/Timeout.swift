import BrokerAPI

/// A time limit for code that this library does not control, such as a handler, even if the code never returns.
enum Timeout {
    /// How long code can keep running after its cancellation, for example to restore the terminal.
    private static let grace: Duration = .seconds(2)

    /// Runs `work`, and throws `late` if it takes longer than `limit`.
    ///
    /// `work` is cancelled at the limit, or when the current task is cancelled.
    static func run<Value: Sendable>(
        for limit: Duration,
        late: ClientError,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let outcome = CallOutcome<Value>()
        let returned = CallOutcome<Void>()
        let working = Task {
            do { outcome.finish(.success(try await work())) } catch { outcome.finish(.failure(error)) }
            returned.finish(.success(()))
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            outcome.finish(.failure(late))
        }
        defer { timer.cancel() }
        do {
            return try await value(of: outcome)
        } catch {
            working.cancel()
            let patience = Task {
                try await Task.sleep(for: grace)
                returned.finish(.success(()))
            }
            try await withCheckedThrowingContinuation { returned.deliver(to: $0) }
            patience.cancel()
            throw error
        }
    }

    /// Waits for the result of `outcome`, and throws `CancellationError` if the current task is cancelled.
    static func value<Value: Sendable>(of outcome: CallOutcome<Value>) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { outcome.deliver(to: $0) }
        } onCancel: {
            outcome.finish(.failure(CancellationError()))
        }
    }
}
