import AuthorityStore
public import FlowModel
import Foundation
import Moments
import OAuth
import OpenIDClient
import Storage

extension Flows {
    /// Takes the answers to the open step.
    ///
    /// The attempt is charged before it is evaluated, and the returned state is on the disk.
    ///
    /// - Parameters:
    ///   - submission: The answers.
    ///   - caller: The owner of the flow, with the facts for the audit.
    /// - Returns: The verdict, and the flow as it is now.
    /// - Throws: `Refusal`; except for `wrong_user`, nothing is charged then.
    public func submit(
        _ submission: FlowSubmission,
        caller: Caller
    ) async throws -> SubmissionResult {
        let event = FlowEvent.submitted(
            step: submission.step,
            id: submission.submissionID,
            answers: submission.answers
        )
        return try await uncancelled {
            try await handle(
                event,
                submission.flow,
                caller
            )
        }
    }

    /// Takes an action that the open step offers instead of an answer.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - caller: The owner of the flow, with the facts for the audit.
    /// - Returns: The flow as it is now.
    /// - Throws: `Refusal`, or `OAuthError.invalidRequest` for a value that the action does not take (the socket's
    ///   -32602); nothing has changed then.
    public func act(_ action: FlowAction, caller: Caller) async throws -> SubmissionResult {
        if action.value != nil, Action.Name(rawValue: action.action)?.takesValue != true {
            throw OAuthError.invalidRequest("The parameter value is not taken by this action")
        }
        let event = FlowEvent.acted(
            step: action.step,
            id: action.submissionID,
            action: action.action,
            value: action.value
        )
        return try await uncancelled {
            try await handle(
                event,
                action.flow,
                caller
            )
        }
    }

    /// Takes the provider's own token in place of the person's way there; whatever it does not prove ends the flow.
    func bring(_ token: BroughtToken, to flow: Flow, caller: Caller) async throws -> SubmissionResult {
        do {
            let event = FlowEvent.brought(token, id: "brought")
            return try await uncancelled { try await handle(event, flow.id, caller) }
        } catch {
            _ = try? await cancel(flow.id, caller: caller, reason: "the provider's token")
            throw error
        }
    }

    /// Runs `work` to its end, which its own deadlines bound.
    ///
    /// A caller that hangs up cancels no evaluation: an answer that was charged is also evaluated.
    func uncancelled<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = Task { try await work() }
        return try await task.value
    }

    private func handle(
        _ event: FlowEvent,
        _ id: String,
        _ caller: Caller
    ) async throws -> SubmissionResult {
        if OutsideFlows.has(id) {
            guard case .submitted(let step, let submission, let answers) = event else {
                throw Refusals.staleStep(rev: try await outside.get(id, owner: caller.owner).rev)
            }
            return try await outside.pasted(step: step, submission: submission, answers: answers, to: id, caller)
        }
        let (claimed, summary) = try await changing(id, owner: caller.owner) { stored, now in
            guard let machine = stored.machine else { throw Refusals.flowFinished(stored.state.state) }
            var (state, wanted) = machine.reduce(stored.state, event, now: now)
            if case .submitted = event, state != stored.state { state.note(answerAt: caller.ticket) }
            var summary = EffectSummary()
            summary.take(wanted)
            var next = stored
            next.state = state
            if state != stored.state {
                next.state = try await write(state, wanted, over: stored, caller)
                summary.verdict = next.state.verdict(of: event) ?? summary.verdict
                next.rev = next.state.rev
            }
            return (next, summary)
        }
        guard let work = summary.work, let machine = claimed.machine else { return try await result(claimed, summary) }
        return try await evaluate(
            work,
            claimed,
            machine,
            caller
        )
    }

    /// Evaluates a claimed answer and writes its consequences in one transaction.
    func evaluate(
        _ first: Evaluation,
        _ claimed: StoredFlow,
        _ machine: FlowMachine,
        _ caller: Caller
    ) async throws -> SubmissionResult {
        var state = claimed.state
        var summary = EffectSummary()
        var wanted: [FlowEffect] = [.evaluate(first)]
        var all: [FlowEffect] = []
        summary.take(wanted)
        while let work = summary.work {
            let result = await effects.run(work, state, for: caller)
            summary.settled += result.settled
            summary.stale = result.stale ?? summary.stale
            (state, wanted) = machine.reduce(state, .evaluated(result.finding), now: clock.now)
            all += wanted
            summary.take(wanted)
        }
        var next = claimed
        do {
            next.state = try await write(state, all, over: claimed, settled: summary.settled, caller)
        } catch is Conflict {
            // The flow was ended, or this evaluation given up, while it ran; that stands.
            let now = try await load(claimed.state.id, owner: claimed.row.owner).now
            throw now.isTerminal ? Refusals.flowFinished(now.state) : Refusals.staleStep(rev: now.rev)
        }
        if let stale = summary.stale { effects.renew(stale) }
        if next.state.finished == nil, state.finished != nil { summary.verdict = .rejected }
        return try await result(next, summary)
    }

    private func result(_ stored: StoredFlow, _ summary: EffectSummary) async throws -> SubmissionResult {
        if let refusal = summary.refusal { throw refusal }
        let state = stored.state
        return SubmissionResult(
            flow: try await shown(state, by: stored.machine),
            verdict: summary.verdict ?? .rejected,
            finished: state.state == .succeeded ? state.finished : nil
        )
    }
}

extension FlowRunState {
    /// The verdict recorded for the answer of an event; nil if there is none.
    func verdict(of event: FlowEvent) -> Verdict? {
        switch event {
        case .submitted(_, let id, _), .acted(_, let id, _, _), .brought(_, let id):
            submissions.last { $0.id == id }?.verdict
        case .timePassed, .began, .evaluated, .cancelled: nil
        }
    }
}
