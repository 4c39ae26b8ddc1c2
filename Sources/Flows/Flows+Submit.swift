import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Storage

extension Flows {
    /// Takes the answers to the open step.
    ///
    /// The attempt is charged before it is looked at, and what is returned is on the disk.
    ///
    /// - Parameter submission: The answers.
    /// - Returns: What became of them, and the flow as it is now.
    /// - Throws: `Refusal`, for which nothing is charged, but for `wrong_user`.
    public func submit(_ submission: FlowSubmission) async throws -> SubmissionResult {
        let event = FlowEvent.submitted(
            step: submission.step,
            id: submission.submissionID,
            answers: submission.answers
        )
        return try await toTheEnd {
            try await handle(
                event,
                submission.flow,
                owner: submission.owner,
                pid: submission.pid,
                correlation: submission.correlation
            )
        }
    }

    /// Does something that the open step offers instead of an answer.
    ///
    /// - Parameter action: What to do.
    /// - Returns: The flow as it is now.
    /// - Throws: `Refusal`; nothing has changed then.
    public func act(_ action: FlowAction) async throws -> SubmissionResult {
        let event = FlowEvent.acted(step: action.step, id: action.submissionID, action: action.action)
        return try await toTheEnd {
            try await handle(
                event,
                action.flow,
                owner: action.owner,
                pid: action.pid,
                correlation: action.correlation
            )
        }
    }

    /// Runs `work` to its end, which its own deadlines bound: a caller who hangs up cancels no evaluation (what is
    /// charged is also looked at).
    private func toTheEnd(
        _ work: @escaping @Sendable () async throws -> SubmissionResult
    ) async throws -> SubmissionResult {
        let task = Task { try await work() }
        return try await task.value
    }

    private func handle(
        _ event: FlowEvent,
        _ id: String,
        owner: Owner,
        pid: Int32?,
        correlation: CorrelationID
    ) async throws -> SubmissionResult {
        let (claimed, done) = try await changing(id, owner: owner) { loaded, now in
            guard let machine = loaded.machine else { throw loaded.ended(at: now) }
            let (state, wanted) = machine.reduce(loaded.state, event, now: now)
            var done = Done()
            done.take(wanted)
            var next = loaded
            next.state = state
            if state != loaded.state {
                let trace = Trace(state: state, pid: pid, correlation: correlation)
                next.state = try await write(state, wanted, over: loaded, trace: trace)
                done.verdict = next.state.verdict(of: event) ?? done.verdict
                next.rev = next.state.rev
            }
            return (next, done)
        }
        guard let work = done.work, let machine = claimed.machine else { return try result(claimed, done) }
        return try await evaluate(
            work,
            claimed,
            machine,
            Trace(state: claimed.state, pid: pid, correlation: correlation)
        )
    }

    /// Evaluates a claimed answer and writes what follows from it, all at once.
    private func evaluate(
        _ first: Evaluation,
        _ claimed: Loaded,
        _ machine: FlowMachine,
        _ trace: Trace
    ) async throws -> SubmissionResult {
        var state = claimed.state
        var done = Done()
        var wanted: [FlowEffect] = [.evaluate(first)]
        var all: [FlowEffect] = []
        done.take(wanted)
        while let work = done.work {
            let result = await effects.run(work, state)
            done.settled += result.settled
            done.stale = result.stale ?? done.stale
            (state, wanted) = machine.reduce(state, .evaluated(result.outcome), now: clock.now)
            all += wanted
            done.take(wanted)
        }
        var next = claimed
        do {
            next.state = try await write(state, all, over: claimed, settled: done.settled, trace: trace)
        } catch is Conflict {
            // Somebody ended the flow, or gave this evaluation up, while it ran; that stands.
            let now = try await load(claimed.state.id, owner: claimed.row.owner).now(clock.now)
            throw now.isTerminal ? Refusals.flowFinished(now.state) : Refusals.staleStep(rev: now.rev)
        }
        if let stale = done.stale { effects.renew(stale) }
        if next.state.finished == nil, state.finished != nil { done.verdict = .rejected }
        return try result(next, done)
    }

    private func result(_ loaded: Loaded, _ done: Done) throws -> SubmissionResult {
        if let refusal = done.refusal { throw refusal }
        let state = loaded.state
        return SubmissionResult(
            flow: loaded.machine?.view(state) ?? FlowMachine.outline(state),
            verdict: done.verdict ?? .rejected,
            finished: state.state == .succeeded ? state.finished : nil
        )
    }
}

extension FlowRunState {
    /// What became of the answer of an event, if that is known.
    func verdict(of event: FlowEvent) -> Verdict? {
        switch event {
        case .submitted(_, let id, _), .acted(_, let id, _): submissions.last { $0.id == id }?.verdict
        case .timePassed, .began, .evaluated, .cancelled: nil
        }
    }
}
