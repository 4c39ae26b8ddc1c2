import Attempts
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A stateless kind of step, which contains everything that is specific to its prompt.
protocol StepKind: Sendable {
    associatedtype Answer

    var type: StepType { get }
    /// The type of the checks that this kind verifies, or `nil` if it verifies none.
    var checkType: CheckType? { get }
    /// The type of the checks whose credential this kind sets, or `nil` if it sets none.
    var enrols: CheckType? { get }
    /// Whether the user can choose another second factor instead of this step.
    var mayBeSwapped: Bool { get }
    var texts: StepTexts { get }
    /// Whether the step concerns only the client, and therefore comes after all other steps.
    var isAboutClient: Bool { get }

    /// Opens the step, or first requests the data that the step needs, or returns `false` if the step is not due.
    func begin(_ run: inout FlowRun) -> Bool

    /// Returns the key of the heading in the catalog.
    func title(_ record: FlowRecord) -> TextKey
    func nodes(_ view: FlowView) -> [Node]
    /// Returns data for client programs in addition to the nodes, or `nil` if there is none.
    func data(_ record: FlowRecord) -> JSONValue?
    /// Returns the actions that the user can take instead of answering, in addition to `cancel`.
    func actions(_ view: FlowView) -> [Action]
    /// Returns how long the step stays open, which `check` can specify.
    func lifetime(of check: Check?) -> Duration
    /// Returns the deadline of the step that opens again after a wrong answer to `step`.
    func ends(after step: OpenStep, _ run: FlowRun) -> Deadline
    /// Returns the budget that answers are charged against, or `nil` if they are not charged.
    func budget(_ plan: FlowPlan) -> StepBudget?

    /// Reads an answer to the open step, without changing the flow.
    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer
    /// Processes an answer that has been read and claimed.
    func take(_ answer: Answer, _ run: inout FlowRun)
    func proved(_ person: ProvenPerson?, names: [String], _ run: inout FlowRun)
    func hashed(_ hash: Data, _ run: inout FlowRun)
    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun)

    /// Deletes data that an abandoned evaluation left behind.
    func interrupted(_ record: inout FlowRecord)
    /// Deletes data that must not outlive the step.
    func expired(_ record: inout FlowRecord)
}

/// The budget of the open step: a check, and the user or name that answers are counted against.
struct StepBudget: Hashable {
    enum Holder: Hashable {
        /// A known user, or a name that does not belong to a user.
        case subject(Subject)
        /// The user with the given sign-in name, or the name itself if it does not belong to a user.
        case signInName(String)
        /// A known user, whose sign-in name is prefilled.
        case usualName(of: UserID)
    }

    let check: Check
    /// The user or name that answers are counted against, or `nil` if no name has been entered yet.
    let holder: Holder?
}

extension FlowPlan {
    var personBudget: StepBudget? {
        check.map { StepBudget(check: $0, holder: person.map { .subject(.user($0)) }) }
    }
}

/// The catalog keys of the messages and labels for one kind of step.
struct StepTexts: Sendable {
    let title: TextKey
    var wrong = TextKey.wrong
    /// The node that ``wrong`` is shown at, or `nil` to show it for the whole step.
    var wrongNode: String?
    var expired = TextKey.expired
    var expiredLevel = Message.Level.info
    /// The label for choosing this step as the second factor, or `nil` to use the name of its check.
    var choice: TextKey?
}

extension StepKind {
    var checkType: CheckType? { nil }

    var enrols: CheckType? { nil }

    var mayBeSwapped: Bool { checkType != nil || enrols != nil }

    var isAboutClient: Bool { false }

    func begin(_ run: inout FlowRun) -> Bool {
        guard let check = run.plan.nextCheck, check.type == checkType else { return false }
        run.open(self, check: check.name)
        return true
    }

    func title(_ record: FlowRecord) -> TextKey { texts.title }

    func data(_ record: FlowRecord) -> JSONValue? { nil }

    func actions(_ view: FlowView) -> [Action] { [] }

    func lifetime(of check: Check?) -> Duration {
        checkType.flatMap { _ in check?.attemptingStateExpiration } ?? FlowLimits.stepLife
    }

    func ends(after step: OpenStep, _ run: FlowRun) -> Deadline {
        Deadline(lifetime(of: run.machine.check(step)), after: run.now)
    }

    func budget(_ plan: FlowPlan) -> StepBudget? { nil }

    func proved(_ person: ProvenPerson?, names: [String], _ run: inout FlowRun) {
        guard let check = run.plan.check else { return run.fail(.internal) }
        run.credit(person, names: names, by: check)
    }

    func hashed(_ hash: Data, _ run: inout FlowRun) { run.fail(.internal) }

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) {
        run.refuse(Refusals.noSuchAction(action.rawValue))
    }

    func interrupted(_ record: inout FlowRecord) {}

    func expired(_ record: inout FlowRecord) {}
}
