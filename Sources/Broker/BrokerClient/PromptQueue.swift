import BrokerAPI
import FlowModel

/// The flows that a client's handlers answer, one after the other.
///
/// However many calls wait for one flow, its steps are asked once and all are told the outcome. An actor because the
/// client's callers share it.
actor PromptQueue {
    /// The outcome of waiting for a turn.
    enum Turn: Sendable {
        /// The flow has ended with success.
        case ended(FlowEnd)
        /// Another flow was answered meanwhile, so that the broker may need no answer any more.
        case later
        /// Another flow that asked for the same check has ended with this error: nobody is asked again at once.
        case refused(ClientError)
    }

    private struct Running {
        let flow: Flow
        let task: Task<FlowEnd, any Error>
        /// The calls that need its outcome.
        var callers = 0
    }

    private struct Past {
        let flow: Flow
        let outcome: Result<FlowEnd, any Error>
    }

    private var running: Running?
    /// The flows that ended last, the newest last.
    private var past: [Past] = []
    /// The number of flows that have ended.
    private(set) var ended = 0

    /// The most ended flows that are remembered.
    private static let mostPast = 8

    /// True in the code of a handler, whose own calls cannot wait for it.
    @TaskLocal static var isAnswering = false

    /// Answers a flow, or waits for the one that is being answered.
    ///
    /// - Parameters:
    ///   - flow: The flow that a call needs.
    ///   - count: ``ended`` when the call asked for the flow: what ended since then may have ended or answered it.
    ///   - run: Leads it to its end.
    /// - Returns: Its end, or that another one has ended.
    /// - Throws: The error with which it ended.
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

    /// What a call does whose flow waited while another one was answered.
    private static func turn(for flow: Flow, after other: Past) -> Turn {
        guard case .failure(let error as ClientError) = other.outcome, let check = flow.step?.check,
            check == other.flow.step?.check
        else { return .later }
        return .refused(error)
    }

    /// The token is for the call that answered; the others find it in the cache.
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

    /// Waits for a flow's end; the last caller that gives up ends it.
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
    /// The result of an asynchronous call.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
