import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The rules of a policy as a pure function of a flow's state, an event and the time.
///
/// It reads no clock, no store and no randomness, and asks only for the life of other runs (`isLive`); everything else it
/// needs from outside is returned as effects.
struct FlowMachine: Sendable {
    let policy: Policy
    let catalogue: PolicyCatalogue
    /// The id of this run of the program.
    let runner: String
    /// The day, in UTC, on which it is asked.
    let today: CalendarDay
    /// True for another run, over the same store, that has not ended.
    var isLive: @Sendable (String) -> Bool = { _ in false }
    /// The rule on who may sign up.
    var signUp = SignUpMode.open
    /// The folder in which mails stay; nil if they are sent.
    var outbox: String?
    /// The name for people of a provider outside; nil if it is not configured.
    var providerName: @Sendable (String) -> String? = { _ in nil }

    /// The next state, and the effects of the event.
    ///
    /// A state that did not change keeps its `rev`.
    func reduce(_ state: FlowRunState, _ event: FlowEvent, now: Moment) -> (FlowRunState, [FlowEffect]) {
        var run = FlowRun(machine: self, state: state, now: now)
        var effects = run.passTime(isEvaluated: event.isEvaluated)
        switch event {
        case .timePassed: break
        case .began: effects += run.begin()
        case .submitted(let step, let id, let answers): effects += run.submit(step: step, id: id, answers: answers)
        case .acted(let step, let id, let action, let value):
            effects += run.act(step: step, id: id, action: action, value: value)
        case .brought(let token, let id): effects += run.bring(token, id: id)
        case .evaluated(let finding): effects += run.evaluated(finding)
        case .cancelled: effects += run.cancel()
        }
        return (run.state, effects)
    }

    /// The state of a flow that ends as failed, and the effects.
    func fail(_ state: FlowRunState, _ reason: FailureReason, now: Moment) -> (FlowRunState, [FlowEffect]) {
        var run = FlowRun(machine: self, state: state, now: now)
        let effects = run.fail(reason)
        return (run.state, effects)
    }

    /// The state of a flow whose policy is not the one that it began with, and the effects: it has failed.
    static func outdated(_ state: FlowRunState, now: Moment) -> (FlowRunState, [FlowEffect]) {
        var ended = state
        end(&ended, .failed(.policyChanged), kept: Deadline(FlowLimits.terminalKept, after: now))
        return (ended, [.audit(.flowFailed, ["reason": FailureReason.policyChanged.rawValue])])
    }

    /// The state of a flow that would have taken its person's last way in, and the effects: it ends, and says so.
    func keepLastWayIn(_ state: FlowRunState, now: Moment) -> (FlowRunState, [FlowEffect]) {
        var run = FlowRun(machine: self, state: state, now: now)
        let effects = run.refuse(link: .lastWayIn)
        return (run.state, effects)
    }

    /// The state of a flow whose link has ended because its words were typed wrong, and the effects.
    func refuseWords(_ state: FlowRunState, now: Moment) -> (FlowRunState, [FlowEffect]) {
        var run = FlowRun(machine: self, state: state, now: now)
        let effects = run.fail(.denied)
        run.state.message = context(state).texts[.wordsWrong]
        return (run.state, effects)
    }

    /// The state of a flow that asks for its person's proof from the beginning, and the effects.
    func proveAgain(_ state: FlowRunState, now: Moment) -> (FlowRunState, [FlowEffect]) {
        var run = FlowRun(machine: self, state: state, now: now)
        let effects = run.proveAgain()
        return (run.state, effects)
    }

    /// The state of a new flow whose end is being written, before anybody was asked.
    func claimed(_ fresh: FlowRunState, now: Moment) -> FlowRunState {
        var state = fresh
        let ends = Deadline(context(fresh).evaluationTime, after: now)
        state.evaluating = Claim(submission: "", runner: runner, ends: ends)
        state.state = .pending
        state.rev = 1
        return state
    }

    /// The flow in a state, to be read.
    func context(_ state: FlowRunState) -> FlowContext { FlowContext(machine: self, state: state) }

    /// The check of a step.
    func check(_ step: OpenStep) -> Check? { step.check.flatMap { catalogue[check: $0] } }

    /// The flow without its step.
    static func outline(_ state: FlowRunState) -> Flow {
        var flow = Flow(
            id: state.id,
            rev: state.rev,
            policy: state.policy.description,
            state: state.state,
            expiresAt: state.ends.wall,
            want: state.want,
            retryAfterMs: state.retryAfterMs
        )
        flow.userIdentity = state.finished?.userIdentity
        flow.message = state.message
        flow.usedUp = state.usedUp
        flow.openedBy = state.openedBy
        flow.openings = state.openings ?? 0
        return flow
    }

    /// Ends a flow independently of its policy.
    static func end(_ state: inout FlowRunState, _ outcome: FlowState, kept: Deadline) {
        state.state = outcome
        state.step = nil
        state.evaluating = nil
        state.code = nil
        state.draft = nil
        state.newPIN = nil
        state.newPassword = nil
        state.profile = nil
        state.edited = nil
        state.newAuthenticatorStep = nil
        state.challenge = nil
        state.realmName = nil
        state.realmField = nil
        state.newIdentity = nil
        state.remark = nil
        state.ended = kept
        state.rev += 1
    }
}

extension FlowEvent {
    fileprivate var isEvaluated: Bool {
        if case .evaluated = self { true } else { false }
    }
}
