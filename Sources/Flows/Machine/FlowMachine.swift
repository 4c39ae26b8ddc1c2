import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The rules of a policy as a pure function of a flow's state, an event and the time.
///
/// It reads no clock, no store and no randomness; everything it needs from outside is returned as effects.
struct FlowMachine: Sendable {
    let policy: Policy
    let catalogue: PolicyCatalogue
    /// The id of this run of the program.
    let runner: String
    /// The rule on who may sign up.
    var signUp = SignUpMode.open
    /// The folder in which mails stay; nil if they are sent.
    var outbox: String?

    /// The next state, and the effects of the event.
    ///
    /// A state that did not change keeps its `rev`.
    func reduce(_ state: FlowRunState, _ event: FlowEvent, now: Moment) -> (FlowRunState, [FlowEffect]) {
        var next = state
        var effects = passTime(&next, now: now, isEvaluated: event.isEvaluated)
        switch event {
        case .timePassed: break
        case .began: effects += begin(&next, now: now)
        case .submitted(let step, let id, let answers):
            effects += submit(&next, step: step, id: id, answers: answers, now: now)
        case .acted(let step, let id, let action):
            effects += act(&next, step: step, id: id, action: action, now: now)
        case .evaluated(let finding): effects += evaluated(&next, finding, now: now)
        case .cancelled: effects += cancel(&next, now: now)
        }
        return (next, effects)
    }

    /// The checks that this flow must prove, in the order in which they are asked: those of the sign-in, of every
    /// token, and of the requirement.
    func plannedChecks(_ state: FlowRunState) -> [Check] {
        let groups = [policy.signInChecks, policy.mandatoryScope, state.requirement.checks]
        var seen: Set<String> = []
        return groups.flatMap { catalogue.ordered($0) }.filter { seen.insert($0.name).inserted }
    }

    /// Opens the first step.
    private func begin(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        let effects = advance(&state, now: now)
        if state.step == nil, !state.isTerminal {
            state.evaluating = Claim(submission: "", runner: runner, ends: Deadline(FlowLimits.evaluation, after: now))
        }
        state.rev = 1
        return [.audit(.flowStarted)] + effects
    }

    private func cancel(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        guard !state.isTerminal else { return [] }
        end(&state, .cancelled, now: now)
        return [.audit(.flowCancelled)]
    }

    /// Ends a flow, and drops everything that must not outlive it.
    func end(_ state: inout FlowRunState, _ outcome: FlowState, now: Moment) {
        Self.end(&state, outcome, kept: Deadline(FlowLimits.terminalKept, after: now))
    }

    /// Ends a flow independently of its policy.
    static func end(_ state: inout FlowRunState, _ outcome: FlowState, kept: Deadline) {
        state.state = outcome
        state.step = nil
        state.evaluating = nil
        state.code = nil
        state.draft = nil
        state.ended = kept
        state.rev += 1
    }

    /// Ends a flow as failed, in answer to a submission.
    func fail(_ state: inout FlowRunState, _ reason: FailureReason, now: Moment) -> [FlowEffect] {
        record(&state, .rejected)
        end(&state, .failed(reason), now: now)
        return [.audit(.flowFailed, ["reason": reason.rawValue]), .answer(.rejected)]
    }

    /// Records the verdict on the answer that is being evaluated.
    func record(_ state: inout FlowRunState, _ verdict: Verdict) {
        guard let claim = state.evaluating else { return }
        state.evaluating = nil
        if let index = state.submissions.lastIndex(where: { $0.id == claim.submission }) {
            state.submissions[index].verdict = verdict
        }
    }
}

extension FlowEvent {
    fileprivate var isEvaluated: Bool {
        if case .evaluated = self { true } else { false }
    }
}
