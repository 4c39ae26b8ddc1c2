import BrokerAPI

/// Runs a program's own code for no longer than it may take: the caller goes on though that code never returns.
enum Timeout {
    /// The time that code is given to return after it was cancelled, so that a terminal is left as it was found.
    private static let grace: Duration = .seconds(2)

    /// Returns the result of `work`.
    ///
    /// - Parameters:
    ///   - limit: The longest time that it may take.
    ///   - late: The error after that.
    ///   - work: The code; it is cancelled if it takes too long, or if this task is cancelled.
    /// - Returns: Its result.
    /// - Throws: Its error, `late`, or `CancellationError`.
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

    /// Waits for an outcome, or for this task to be cancelled.
    static func value<Value: Sendable>(of outcome: CallOutcome<Value>) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { outcome.deliver(to: $0) }
        } onCancel: {
            outcome.finish(.failure(CancellationError()))
        }
    }
}
