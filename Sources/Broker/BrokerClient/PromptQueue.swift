import BrokerAPI
import FlowModel

/// Lets handlers answer only one flow at a time, and returns a flow's result to all calls that wait for that flow.
actor PromptQueue {
    /// The outcome for a call that waits until its flow has been answered.
    enum Turn: Sendable {
        case ended(FlowEnd)
        /// Another flow was answered in the meantime, so the broker might no longer need an answer to this flow.
        case later
        /// Another flow for the same check ended with this error, so the user is not prompted again immediately.
        case refused(ClientError)
    }

    private struct Running {
        let flow: Flow
        let task: Task<FlowEnd, any Error>
        var callers = 0
    }

    private struct Past {
        let flow: Flow
        let outcome: Result<FlowEnd, any Error>
    }

    private var running: Running?
    /// The flows that ended most recently, in the order in which they ended.
    private var past: [Past] = []
    private(set) var ended = 0

    private static let mostPast = 8

    /// Whether the current task runs a handler; flows that the handler starts are not queued, to prevent a deadlock.
    @TaskLocal static var isAnswering = false

    /// Answers the steps of `flow`, unless another flow is being answered or was answered since `flow` was requested.
    ///
    /// In that case, this method only waits until the other flow ends, because `flow` might no longer be necessary.
    /// `count` is the value that ``ended`` had when `flow` was requested.
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

    /// Returns the outcome for a call that needs `flow` but has waited until another flow, `other`, ended.
    private static func turn(for flow: Flow, after other: Past) -> Turn {
        guard case .failure(let error as ClientError) = other.outcome, let check = flow.step?.check,
            check == other.flow.step?.check
        else { return .later }
        return .refused(error)
    }

    /// Returns a copy of `end` without the token, for calls that waited for the flow but did not answer its steps.
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

    /// Returns the result of `task`, which runs a flow; cancels it if the last caller that waits for it is cancelled.
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
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
