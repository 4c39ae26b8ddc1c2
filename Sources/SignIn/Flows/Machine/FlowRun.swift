import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A flow to which an event is applied, at one time: what happens is added to its transition.
struct FlowRun {
    let machine: FlowMachine
    /// The time of the event.
    let now: Moment
    /// What the event has done so far.
    private(set) var transition: Transition

    init(machine: FlowMachine, record: FlowRecord, now: Moment) {
        self.machine = machine
        self.now = now
        transition = Transition(record: record)
    }

    /// The flow as it is now.
    var record: FlowRecord {
        get { transition.record }
        set { transition.record = newValue }
    }

    /// What the flow requires now.
    var plan: FlowPlan { machine.plan(record) }

    /// What is shown of the flow now.
    var view: FlowView { machine.view(record) }

    /// Opens the first step.
    mutating func begin() {
        audit(.flowStarted)
        record.phase = .evaluating(machine.claim("", now: now), over: nil)
        advance()
        record.history.revision = 1
    }

    /// Begins the next kind of step; if none is left, the flow finishes.
    mutating func advance() {
        if let connector = plan.dueConnector { return evaluate(.connector(connector)) }
        if let question = plan.secondFactorQuestion { return evaluate(question) }
        for kind in StepKinds.all where kind.begin(&self) { return }
        if plan.nextCheck == nil { finish() } else { fail(.internal) }
    }

    /// Opens a step of a kind.
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

    /// Opens a step once more, under another id.
    mutating func reopen(_ step: OpenStep, ends: Deadline, message: Message) {
        record.ask(step.kind, check: step.check, at: now, ends: ends, messages: [message])
    }

    /// Marks an answer to the open step as being evaluated, so that it cannot be used again.
    mutating func claim(_ submission: String) {
        guard case .asking(let step) = record.phase else { return }
        record.evaluate(machine.claim(submission, now: now), over: step)
    }

    /// Goes on another way through the policy, by an action.
    mutating func take(_ path: FlowFacts.Path, _ submission: String) {
        claim(submission)
        record.known.path = path
        advance()
    }

    /// Ends a flow for its owner; who cancels at a question about the client says no to that alone.
    mutating func cancel() {
        guard !record.isEnded else { return }
        if record.step?.kind.isAboutClient == true { keepChanges() }
        end(.cancelled)
        audit(.flowCancelled)
    }

    /// Ends a flow as failed, in answer to a submission.
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

    /// Ends a flow that cannot go on, and tells the caller why.
    mutating func fail(_ reason: FailureReason = .denied, with refusal: Refusal) {
        record.settle(.rejected)
        end(.failed(reason))
        audit(.flowFailed, ["reason": reason.rawValue])
        refuse(refusal)
    }

    /// Ends a flow that another person answered.
    mutating func wrongUser() { fail(.wrongUser, with: Refusals.wrongUser) }

    /// Ends a flow, and drops everything that must not outlive it.
    mutating func end(_ ending: FlowEnd.Ending) {
        record.end(ending, keptUntil: Deadline(FlowLimits.terminalKept, after: now))
    }

    /// Asks for what the machine cannot know.
    mutating func evaluate(_ evaluation: Evaluation) { transition.evaluation = evaluation }

    /// Writes an event into the audit.
    mutating func audit(_ kind: AuditKind, _ detail: [String: String] = [:]) {
        transition.audit.append(.init(kind: kind, detail: detail))
    }

    /// Puts a mail into the outbox.
    mutating func mail(_ draft: MailDraft) { transition.mails.append(draft) }

    /// Changes the person's account.
    mutating func change(_ changes: [AccountChange]) { transition.changes += changes }

    /// Tells the caller the verdict on the answer.
    mutating func answer(_ verdict: Verdict) { transition.tell(.verdict(verdict)) }

    /// Tells the caller a refusal.
    mutating func refuse(_ refusal: Refusal) { transition.tell(.refusal(refusal)) }
}
