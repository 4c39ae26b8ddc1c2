import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The rules of a policy as a pure function of a flow's record, an event and the time.
///
/// It reads no clock, no store and no randomness, and asks only for the life of other runs (`isLive`); everything else it
/// needs from outside it asks for by ``Transition/evaluation``.
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

    /// The next record, and what is written and told with it.
    ///
    /// A record that did not change keeps its revision.
    func reduce(_ record: FlowRecord, _ event: FlowEvent, now: Moment) -> Transition {
        var run = FlowRun(machine: self, record: record, now: now)
        switch event {
        case .timePassed, .submitted, .acted, .brought, .cancelled: FlowTime.pass(&run)
        // A flow that begins has waited for nothing yet, however long its request took.
        case .began, .evaluated, .nameTaken: FlowTime.expire(&run)
        case .lastWayIn, .wordsRefused, .doubted, .failed: break
        }
        switch event {
        case .timePassed: break
        case .began: run.begin()
        case .submitted(let step, let id, let answers):
            Submissions.submit(answers, to: step, id: id, &run)
        case .acted(let step, let id, let action, let value):
            Submissions.act(action, value, at: step, id: id, &run)
        case .brought(let token, let id): ProviderStep().bring(token, id: id, &run)
        case .evaluated(let result): run.evaluated(result)
        case .cancelled: run.cancel()
        case .nameTaken: run.nameTaken()
        case .lastWayIn: Linking.refuse(.lastWayIn, &run)
        case .wordsRefused: run.fail(.denied, message: run.view.texts[.wordsWrong])
        case .doubted: Linking.proveAgain(&run)
        case .failed(let reason): run.fail(reason)
        }
        return run.transition
    }

    /// The end of a flow whose policy is not the one that it began with: it has failed.
    static func outdated(_ record: FlowRecord, now: Moment) -> Transition {
        var transition = Transition(record: record)
        transition.record.end(
            .failed(.policyChanged),
            keptUntil: Deadline(FlowLimits.terminalKept, after: now)
        )
        transition.audit = [.init(kind: .flowFailed, detail: ["reason": FailureReason.policyChanged.rawValue])]
        return transition
    }

    /// The record of a new flow whose end is being written, before anybody was asked.
    func claimed(_ fresh: FlowRecord, now: Moment) -> FlowRecord {
        var record = fresh
        record.phase = .evaluating(claim("", now: now), over: nil)
        record.history.revision = 1
        return record
    }

    /// The claim of an answer that is evaluated from now on; empty where there is no answer.
    func claim(_ submission: String, now: Moment) -> Claim {
        Claim(submission: submission, runner: runner, ends: Deadline(policy.evaluationTime, after: now))
    }

    /// What a flow requires.
    func plan(_ record: FlowRecord) -> FlowPlan { FlowPlan(machine: self, record: record) }

    /// What is shown of a flow.
    func view(_ record: FlowRecord) -> FlowView { FlowView(plan: plan(record)) }

    /// The check of a step.
    func check(_ step: OpenStep) -> Check? { step.check.flatMap { catalogue[check: $0] } }

    /// The check whose budget a code is charged to: its own, or the first over e-mail if an address is proved at
    /// sign-up.
    func codeCheck(_ name: String?) -> Check {
        if let check = name.flatMap({ catalogue[check: $0] }) { return check }
        let first = catalogue.checks.values.filter { $0.type == .emailCode }.min { $0.name < $1.name }
        return first ?? Check(name: "email", type: .emailCode)
    }
}
