import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// One event being applied to a flow.
///
/// The effects are collected in ``transition``.
struct FlowRun {
    let machine: FlowMachine
    /// The time at which the event is applied.
    let now: Moment
    /// The effects of the event so far.
    private(set) var transition: Transition

    init(machine: FlowMachine, record: FlowRecord, now: Moment) {
        self.machine = machine
        self.now = now
        transition = Transition(record: record)
    }

    /// The flow, including the changes so far.
    var record: FlowRecord {
        get { transition.record }
        set { transition.record = newValue }
    }

    /// The current requirements of the flow.
    var plan: FlowPlan { machine.plan(record) }

    /// The flow as its owner sees it now.
    var view: FlowView { machine.view(record) }

    /// Opens the flow's first step.
    mutating func begin() {
        audit(.flowStarted)
        record.phase = .evaluating(machine.claim("", now: now), over: nil)
        advance()
        record.history.revision = 1
    }

    /// Continues with the next kind of step.
    ///
    /// If none is left, the flow finishes.
    mutating func advance() {
        if let connector = plan.dueConnector { return evaluate(.connector(connector)) }
        if let question = plan.secondFactorQuestion { return evaluate(question) }
        for kind in StepKinds.all where kind.begin(&self) { return }
        if plan.nextCheck == nil { finish() } else { fail(.internal) }
    }

    /// Opens a step of the given kind.
    mutating func open(
        _ kind: any StepKind,
        check: String? = nil,
        ends: Deadline? = nil,
        messages: [Message] = []
    ) {
        if record.settle(.next) { answer(.next) }
        let life = kind.lifetime(of: check.flatMap { machine.catalogue[check: $0] })
        let ends = ends ?? Deadline(life, after: now).earlier(record.order.ends)
        record.ask(kind, check: check, at: now, ends: ends, messages: messages)
    }

    /// Opens a step again under a new id.
    mutating func reopen(_ step: OpenStep, ends: Deadline, message: Message) {
        record.ask(step.kind, check: step.check, at: now, ends: ends, messages: [message])
    }

    /// Marks an answer as being evaluated, so that it cannot be submitted again.
    mutating func claim(_ submission: String) {
        guard case .asking(let step) = record.phase else { return }
        record.evaluate(machine.claim(submission, now: now), over: step)
    }

    /// Switches to another path through the policy, in response to an action.
    mutating func take(_ path: FlowFacts.Path, _ submission: String) {
        claim(submission)
        record.known.path = path
        advance()
    }

    /// Cancels the flow on its owner's request.
    ///
    /// At a step about the client, confirmed changes to the user's account are still written.
    mutating func cancel() {
        guard !record.isEnded else { return }
        if record.step?.kind.isAboutClient == true { keepChanges() }
        end(.cancelled)
        audit(.flowCancelled)
    }

    /// Fails the flow, in response to a submission.
    mutating func fail(
        _ reason: FailureReason,
        message: String? = nil,
        usedUp: Flow.Tries? = nil,
        retryAfterMs: Int64? = nil
    ) {
        record.settle(.rejected)
        end(.failed(reason))
        record.explain { end in
            end.message = message
            end.usedUp = usedUp
            end.retryAfterMs = retryAfterMs
        }
        audit(.flowFailed, ["reason": reason.rawValue])
        answer(.rejected)
    }

    /// Fails a flow that cannot continue, and reports the reason to the caller.
    mutating func fail(_ reason: FailureReason = .denied, with refusal: Refusal) {
        record.settle(.rejected)
        end(.failed(reason))
        audit(.flowFailed, ["reason": reason.rawValue])
        refuse(refusal)
    }

    /// Fails the flow because a different user answered it.
    mutating func wrongUser() { fail(.wrongUser, with: Refusals.wrongUser) }

    /// Ends the flow, and deletes all data that must not outlive it.
    mutating func end(_ ending: FlowEnd.Ending) {
        record.end(ending, keptUntil: Deadline(FlowLimits.terminalKept, after: now))
    }

    /// Requests an evaluation, which runs outside of the state machine.
    mutating func evaluate(_ evaluation: Evaluation) { transition.evaluation = evaluation }

    /// Adds an event to the audit log.
    mutating func audit(_ kind: AuditKind, _ detail: [String: String] = [:]) {
        transition.audit.append(.init(kind: kind, detail: detail))
    }

    /// Adds an email message to the outbox.
    mutating func mail(_ draft: MailDraft) { transition.mails.append(draft) }

    /// Adds changes to the user's account.
    mutating func change(_ changes: [AccountChange]) { transition.changes += changes }

    /// Reports the verdict on the answer to the caller.
    mutating func answer(_ verdict: Verdict) { transition.tell(.verdict(verdict)) }

    /// Reports a refusal to the caller.
    mutating func refuse(_ refusal: Refusal) { transition.tell(.refusal(refusal)) }
}
