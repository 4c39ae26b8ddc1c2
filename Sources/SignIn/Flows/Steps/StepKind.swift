import Attempts
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A kind of step: everything particular to one question of flows, in one value and one file.
///
/// The machine asks the kind of the open step, so that every client is shown the same step. A kind has no state of its
/// own; everything it needs is in the flow's record.
protocol StepKind: Sendable {
    /// An answer that was read.
    associatedtype Answer

    /// The word on the wire and in the store.
    var type: StepType { get }
    /// The type of the checks that this kind asks for, if any.
    var checkType: CheckType? { get }
    /// The type of the checks whose credential this kind sets, if any.
    var enrols: CheckType? { get }
    /// True if another second factor may be chosen in place of this question.
    var mayBeSwapped: Bool { get }
    /// Its sentences for people.
    var texts: StepTexts { get }
    /// True if it asks about the client only, after everything that is about the person.
    var isAboutClient: Bool { get }

    /// Opens the step, or asks for what it needs first, if it is this kind's turn.
    ///
    /// - Returns: False if it is not.
    func begin(_ run: inout FlowRun) -> Bool

    /// The heading for people.
    func title(_ record: FlowRecord) -> TextKey
    /// The fields to ask for.
    func nodes(_ view: FlowView) -> [Node]
    /// Facts for client programs, beside the fields.
    func data(_ record: FlowRecord) -> JSONValue?
    /// Actions offered instead of answering, beside `cancel`.
    func actions(_ view: FlowView) -> [Action]
    /// The life of the step, which is a question of this check.
    func lifetime(of check: Check?) -> Duration
    /// The end of the step that follows a wrong answer.
    func ends(after step: OpenStep, _ run: FlowRun) -> Deadline
    /// The budget that answers are charged to; nil if they are not charged.
    func budget(_ plan: FlowPlan) -> StepBudget?

    /// Reads an answer to the open step; changes nothing.
    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer
    /// Takes an answer that was read and claimed.
    func take(_ answer: Answer, _ run: inout FlowRun)
    /// Continues after a correct answer.
    func proved(_ person: ProvenPerson?, names: [String], _ run: inout FlowRun)
    /// Continues with the hash of an answer that sets a secret.
    func hashed(_ hash: Data, _ run: inout FlowRun)
    /// Takes an action of ``actions(_:)``.
    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun)

    /// Drops the remains of an evaluation that was given up.
    func interrupted(_ record: inout FlowRecord)
    /// Drops everything that is not valid for longer than the step.
    func expired(_ record: inout FlowRecord)
}

/// The budget of the open step: its check, and the holder for whom wrong answers are counted.
struct StepBudget: Hashable {
    /// The person, or the name, for whom wrong answers are counted.
    enum Holder: Hashable {
        /// A known person, or a name that belongs to nobody.
        case subject(Subject)
        /// The person with a sign-in name, or the name itself if it belongs to nobody.
        case signInName(String)
        /// A known user, under the name that is filled in.
        case usualName(of: UserID)
    }

    let check: Check
    /// The holder; nil until a name was given.
    let holder: Holder?
}

extension FlowPlan {
    /// The budget of answers that are counted for the person whom the flow is about.
    var personBudget: StepBudget? {
        check.map { StepBudget(check: $0, holder: person.map { .subject(.user($0)) }) }
    }
}

/// The sentences of one kind of step, by their keys.
struct StepTexts: Sendable {
    let title: TextKey
    /// The message after a wrong answer.
    var wrong = TextKey.wrong
    /// The node that ``wrong`` belongs to.
    var wrongNode: String?
    /// The message after a step that expired.
    var expired = TextKey.expired
    /// The weight of ``expired``.
    var expiredLevel = Message.Level.info
    /// The words for choosing this question in place of another second factor; nil for the name of its check.
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

    /// The time that the check allows, for a question of a check.
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
