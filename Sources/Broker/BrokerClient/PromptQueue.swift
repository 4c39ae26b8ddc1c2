import BrokerAPI
import FlowModel

/// Ensures that a client's handlers answer only one flow at a time.
///
/// However many calls wait for a flow, its steps are answered only once, and all calls get the result. This is an actor
/// because the client's callers share it.
actor PromptQueue {
    /// The result of waiting for the handlers.
    enum Turn: Sendable {
        /// The flow has succeeded.
        case ended(FlowEnd)
        /// Another flow was answered in the meantime, so the broker might no longer need an answer to this flow.
        case later
        /// Another flow that required the same check has ended with this error, so the user is not prompted again
        /// immediately.
        case refused(ClientError)
    }

    private struct Running {
        let flow: Flow
        let task: Task<FlowEnd, any Error>
        /// The number of calls that are waiting for the result.
        var callers = 0
    }

    private struct Past {
        let flow: Flow
        let outcome: Result<FlowEnd, any Error>
    }

    private var running: Running?
    /// The flows that ended most recently, newest last.
    private var past: [Past] = []
    /// The number of flows that have ended so far.
    private(set) var ended = 0

    /// The maximum number of entries in ``past``.
    private static let mostPast = 8

    /// Whether the code is running in a handler.
    ///
    /// Calls that a handler makes must not wait for that handler.
    @TaskLocal static var isAnswering = false

    /// Answers a flow.
    ///
    /// If another flow is being answered, waits until that flow has ended.
    ///
    /// - Parameters:
    ///   - flow: The flow that a call needs.
    ///   - count: The value of ``ended`` when the call requested the flow. A flow that has ended since then could have
    ///     made this flow unnecessary.
    ///   - run: Runs the flow until it ends.
    /// - Returns: The result of the flow, or that another flow has ended.
    /// - Throws: The error that the flow ended with.
    func turn(
        for flow: Flow,
        since count: Int,
        _ run: @escaping @Sendable () async throws -> FlowEnd
    ) async throws -> Turn {
        if Self.isAnswering { return .ended(try await run()) }
        let missed = past.suffix(min(ended - count, past.count))
        if let own = missed.last(where: { $0.flow.id == flow.id }) {
            return .ended(Self.withoutToken(try own.outcome.get()))
        }
        if let running, running.flow.id != flow.id {
            let outcome = await Result { try await Self.outcome(of: running.task) }
            try Task.checkCancellation()
            return Self.turn(for: flow, after: Past(flow: running.flow, outcome: outcome))
        }
        if running == nil, let other = missed.last { return Self.turn(for: flow, after: other) }
        if let task = running?.task {
            return .ended(Self.withoutToken(try await need(task, of: flow.id)))
        }
        return .ended(try await need(start(flow, run), of: flow.id))
    }

    /// Returns what a call must do after it has waited for another flow.
    private static func turn(for flow: Flow, after other: Past) -> Turn {
        guard case .failure(let error as ClientError) = other.outcome, let check = flow.step?.check,
            check == other.flow.step?.check
        else { return .later }
        return .refused(error)
    }

    /// Removes the token from a result.
    ///
    /// Only the call that answered the flow gets the token. The others find it in the cache.
    private static func withoutToken(_ end: FlowEnd) -> FlowEnd {
        FlowEnd(flow: end.flow, token: nil, account: end.account)
    }

    private func start(
        _ flow: Flow,
        _ run: @escaping @Sendable () async throws -> FlowEnd
    ) -> Task<FlowEnd, any Error> {
        let task = Task {
            let outcome = await Result { try await Self.$isAnswering.withValue(true) { try await run() } }
            running = nil
            ended += 1
            past = (past + [Past(flow: flow, outcome: outcome.map(Self.withoutToken))]).suffix(Self.mostPast)
            return try outcome.get()
        }
        running = Running(flow: flow, task: task)
        return task
    }

    /// Waits for a flow to end.
    ///
    /// If the last waiting caller stops waiting, the flow is cancelled.
    private func need(_ task: Task<FlowEnd, any Error>, of flow: String) async throws -> FlowEnd {
        running?.callers += 1
        do {
            return try await Self.outcome(of: task)
        } catch {
            if running?.flow.id == flow, Task.isCancelled {
                running?.callers -= 1
                if running?.callers == 0 {
                    task.cancel()
                    _ = await task.result
                }
            }
            throw error
        }
    }

    private static func outcome(of task: Task<FlowEnd, any Error>) async throws -> FlowEnd {
        let outcome = CallOutcome<FlowEnd>()
        let watching = Task { outcome.finish(await task.result) }
        defer { watching.cancel() }
        return try await Timeout.value(of: outcome)
    }
}

extension Result where Success: Sendable, Failure == any Error {
    /// Creates a result by running an asynchronous function.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
