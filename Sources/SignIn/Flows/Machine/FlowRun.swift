import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// Applies one event to a flow, and collects the effects in ``transition``.
struct FlowRun {
    let machine: FlowMachine
    let now: Moment
    private(set) var transition: Transition

    init(machine: FlowMachine, record: FlowRecord, now: Moment) {
        self.machine = machine
        self.now = now
        transition = Transition(record: record)
    }

    var record: FlowRecord {
        get { transition.record }
        set { transition.record = newValue }
    }

    var plan: FlowPlan { machine.plan(record) }

    var view: FlowView { machine.view(record) }

    mutating func begin() {
        audit(.flowStarted)
        record.phase = .evaluating(machine.claim("", now: now), over: nil)
        advance()
        record.history.revision = 1
    }

    /// Continues the flow with the next step or evaluation, or finishes the flow if none is left.
    mutating func advance() {
        if let connector = plan.dueConnector { return evaluate(.connector(connector)) }
        if let question = plan.secondFactorQuestion { return evaluate(question) }
        for kind in StepKinds.all where kind.begin(&self) { return }
        if plan.nextCheck == nil { finish() } else { fail(.internal) }
    }

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

    mutating func claim(_ submission: String) {
        guard case .asking(let step) = record.phase else { return }
        record.evaluate(machine.claim(submission, now: now), over: step)
    }

    mutating func take(_ path: FlowFacts.Path, _ submission: String) {
        claim(submission)
        record.known.path = path
        advance()
    }

    /// Cancels the flow, but keeps the changes to the user's account if the open step concerns only the client.
    mutating func cancel() {
        guard !record.isEnded else { return }
        if record.step?.kind.isAboutClient == true { keepChanges() }
        end(.cancelled)
        audit(.flowCancelled)
    }

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

    mutating func fail(with refusal: Refusal) {
        let reason = FailureReason(refusal)
        record.settle(.rejected)
        end(.failed(reason))
        audit(.flowFailed, ["reason": reason.rawValue])
        refuse(refusal)
    }

    mutating func wrongUser() { fail(with: Refusals.wrongUser) }

    mutating func end(_ ending: FlowEnd.Ending) {
        record.end(ending, keptUntil: Deadline(FlowLimits.terminalKept, after: now))
    }

    mutating func evaluate(_ evaluation: Evaluation) { transition.evaluation = evaluation }

    mutating func audit(_ kind: AuditKind, _ detail: [String: String] = [:]) {
        transition.audit.append(.init(kind: kind, detail: detail))
    }

    mutating func mail(_ draft: MailDraft) { transition.mails.append(draft) }

    mutating func change(_ changes: [AccountChange]) { transition.changes += changes }

    mutating func answer(_ verdict: Verdict) { transition.tell(.verdict(verdict)) }

    mutating func refuse(_ refusal: Refusal) { transition.tell(.refusal(refusal)) }
}
