import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The rules of a policy, as a pure function of a flow's record, an event and the time.
///
/// It does not use a clock, the store or random numbers. Its only external input is whether other processes are still
/// running (`isLive`). It requests all other work with ``Transition/evaluation``.
struct FlowMachine: Sendable {
    let policy: Policy
    let catalogue: PolicyCatalogue
    /// The id of this process.
    let runner: String
    /// The current day in UTC.
    let today: CalendarDay
    /// Whether another process that uses the same store is still running.
    var isLive: @Sendable (String) -> Bool = { _ in false }
    /// The rule that determines who can sign up.
    var signUp = SignUpMode.open
    /// The folder in which email messages stay unsent, or `nil` if they are sent.
    var outbox: String?
    /// Whether the subject line of an email with a code contains the code.
    var codeInSubject = true
    /// Returns the display name of an identity provider, or `nil` if it is not configured.
    var providerName: @Sendable (String) -> String? = { _ in nil }

    /// Returns the next record, together with everything to write or report.
    ///
    /// If nothing changes, the revision stays the same.
    func reduce(_ record: FlowRecord, _ event: FlowEvent, now: Moment) -> Transition {
        var run = FlowRun(machine: self, record: record, now: now)
        switch event {
        case .timePassed, .submitted, .acted, .brought, .cancelled: FlowTime.pass(&run)
        // A new flow has not waited for a user yet, however long its request took.
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

    /// Returns the transition that fails a flow because its policy has changed since it started.
    static func outdated(_ record: FlowRecord, now: Moment) -> Transition {
        var transition = Transition(record: record)
        transition.record.end(
            .failed(.policyChanged),
            keptUntil: Deadline(FlowLimits.terminalKept, after: now)
        )
        transition.audit = [.init(kind: .flowFailed, detail: ["reason": FailureReason.policyChanged.rawValue])]
        return transition
    }

    /// Returns the record of a new flow that needs no prompt, while its outcome is being written.
    func claimed(_ fresh: FlowRecord, now: Moment) -> FlowRecord {
        var record = fresh
        record.phase = .evaluating(claim("", now: now), over: nil)
        record.history.revision = 1
        return record
    }

    /// Returns the claim for an answer whose evaluation starts now.
    ///
    /// `submission` is empty if there is no answer.
    func claim(_ submission: String, now: Moment) -> Claim {
        Claim(submission: submission, runner: runner, ends: Deadline(policy.evaluationTime, after: now))
    }

    /// Returns the requirements of a flow.
    func plan(_ record: FlowRecord) -> FlowPlan { FlowPlan(machine: self, record: record) }

    /// Returns the flow as its owner sees it.
    func view(_ record: FlowRecord) -> FlowView { FlowView(plan: plan(record)) }

    /// Returns the check of a step, or `nil` if the step has none.
    func check(_ step: OpenStep) -> Check? { step.check.flatMap { catalogue[check: $0] } }

    /// Returns the check whose budget is charged for a code: the check with the given name, or the first email check
    /// for a code that verifies an address at sign-up.
    func codeCheck(_ name: String?) -> Check {
        if let check = name.flatMap({ catalogue[check: $0] }) { return check }
        let first = catalogue.checks.values.filter { $0.type == .emailCode }.min { $0.name < $1.name }
        return first ?? Check(name: "email", type: .emailCode)
    }
}
