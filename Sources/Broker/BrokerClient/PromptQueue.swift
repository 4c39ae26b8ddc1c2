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

    private var running: Running?

    /// True in the code of a handler, whose own calls cannot wait for it.
    @TaskLocal static var isAnswering = false

    /// Answers a flow, or waits for the one that is being answered.
    ///
    /// - Parameters:
    ///   - flow: The flow that a call needs.
    ///   - run: Leads it to its end.
    /// - Returns: Its end, or that another one has ended.
    /// - Throws: The error with which it ended.
    func turn(for flow: Flow, _ run: @escaping @Sendable () async throws -> FlowEnd) async throws -> Turn {
        if Self.isAnswering { return .ended(try await run()) }
        if let running, running.flow.id != flow.id {
            do {
                _ = try await Self.outcome(of: running.task)
            } catch let error as ClientError {
                let isSameCheck = flow.step?.check.map { $0 == running.flow.step?.check } ?? false
                if isSameCheck { return .refused(error) }
            } catch {
                try Task.checkCancellation()
            }
            return .later
        }
        if let task = running?.task {
            let end = try await need(task, of: flow.id)
            return .ended(FlowEnd(flow: end.flow, token: nil, account: end.account))
        }
        return .ended(try await need(start(flow, run), of: flow.id))
    }

    private func start(
        _ flow: Flow,
        _ run: @escaping @Sendable () async throws -> FlowEnd
    ) -> Task<FlowEnd, any Error> {
        let task = Task {
            defer { running = nil }
            return try await Self.$isAnswering.withValue(true) { try await run() }
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
