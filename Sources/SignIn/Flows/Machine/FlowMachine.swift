import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The rules of a policy, as a pure function of a flow's record, an event and the time.
///
/// Work that needs a store or random numbers is requested in ``Transition/evaluation``.
struct FlowMachine: Sendable {
    let policy: Policy
    let catalogue: PolicyCatalogue
    /// The id of this process.
    let runner: String
    /// The current day in UTC.
    let today: CalendarDay
    /// Returns whether the process with the given id, which uses the same store, is still running.
    var isLive: @Sendable (String) -> Bool = { _ in false }
    var signUp = SignUpMode.open
    /// The folder in which e-mail messages are stored without being sent, or `nil` if they are sent.
    var outbox: String?
    var codeInSubject = true
    /// Returns the display name of an identity provider, or `nil` if the provider is not configured.
    var providerName: @Sendable (String) -> String? = { _ in nil }

    /// Returns the next record, with the same revision if nothing changes, and everything to write or report.
    func reduce(_ record: FlowRecord, _ event: FlowEvent, now: Moment) -> Transition {
        var run = FlowRun(machine: self, record: record, now: now)
        switch event {
        case .timePassed, .submitted, .acted, .brought, .cancelled: FlowTime.pass(&run)
        // For these events, only the flow itself can expire, because no step is open.
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

    /// Returns the transition that fails a flow because its policy has changed since the flow started.
    static func outdated(_ record: FlowRecord, now: Moment) -> Transition {
        var transition = Transition(record: record)
        transition.record.end(
            .failed(.policyChanged),
            keptUntil: Deadline(FlowLimits.terminalKept, after: now)
        )
        transition.audit = [.init(kind: .flowFailed, detail: ["reason": FailureReason.policyChanged.rawValue])]
        return transition
    }

    /// Returns the record that is stored for a new flow without prompts until the flow's outcome is written.
    func claimed(_ fresh: FlowRecord, now: Moment) -> FlowRecord {
        var record = fresh
        record.phase = .evaluating(claim("", now: now), over: nil)
        record.history.revision = 1
        return record
    }

    /// Returns the claim for an evaluation that starts now.
    ///
    /// `submission` must be empty if the evaluation has no answer.
    func claim(_ submission: String, now: Moment) -> Claim {
        Claim(submission: submission, runner: runner, ends: Deadline(policy.evaluationTime, after: now))
    }

    func plan(_ record: FlowRecord) -> FlowPlan { FlowPlan(machine: self, record: record) }

    func view(_ record: FlowRecord) -> FlowView { FlowView(plan: plan(record)) }

    func check(_ step: OpenStep) -> Check? { step.check.flatMap { catalogue[check: $0] } }

    /// Returns the check whose budget is charged for a code.
    ///
    /// This is the check with the given name or, if there is none, for example during sign-up, the first e-mail check.
    func codeCheck(_ name: String?) -> Check {
        if let check = name.flatMap({ catalogue[check: $0] }) { return check }
        let first = catalogue.checks.values.filter { $0.type == .emailCode }.min { $0.name < $1.name }
        return first ?? Check(name: "email", type: .emailCode)
    }
}
