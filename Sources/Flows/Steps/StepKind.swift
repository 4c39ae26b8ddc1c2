import Attempts
import FlowModel
import Moments
import OAuth
import Policies

/// A kind of step: all that is particular to one question of flows, in one value and one file.
///
/// The machine asks the kind of the open step, so that everybody shows one step from one description. A kind holds
/// nothing of a flow; what it needs to know is in the state.
protocol StepKind: Sendable {
    /// An answer that was read.
    associatedtype Answer

    /// The word on the wire and in the store.
    var type: StepType { get }
    /// The type of the checks that this kind answers, where it answers any.
    var checkType: CheckType? { get }
    /// Its sentences for people.
    var texts: StepTexts { get }

    /// Opens the step, or wants what has to be there before, if it is this kind's turn; else returns nil.
    func begin(_ machine: FlowMachine, _ state: inout FlowRunState, now: Moment) -> [FlowEffect]?

    /// The fields to ask for.
    func nodes(_ machine: FlowMachine, _ state: FlowRunState) -> [Node]
    /// Facts for programs, beside the fields.
    func data(_ state: FlowRunState) -> JSONValue?
    /// Things that may be done instead of answering, beside `cancel`.
    func actions(_ machine: FlowMachine, _ state: FlowRunState) -> [Action]
    /// The time that the step waits.
    func lifetime(_ machine: FlowMachine, _ step: OpenStep) -> Duration
    /// The end of the step that follows a wrong answer.
    func ends(after step: OpenStep, _ machine: FlowMachine, now: Moment) -> Deadline
    /// The budget that answers are charged to, where they are charged.
    func budget(_ machine: FlowMachine, _ state: FlowRunState) -> StepBudget?

    /// Reads an answer to the open step; changes nothing.
    func read(
        _ answers: Answers,
        _ machine: FlowMachine,
        _ state: FlowRunState,
        now: Moment
    ) throws(Answers.Refused) -> Answer
    /// Takes an answer that was read and claimed.
    func take(_ answer: Answer, _ machine: FlowMachine, _ state: inout FlowRunState, now: Moment) -> [FlowEffect]
    /// Goes on after an answer that was found right.
    func proved(
        _ person: ProvenPerson?,
        names: [String],
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect]
    /// Does what ``actions(_:_:)`` offers.
    func act(
        _ action: Action.Name,
        submission: String,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect]

    /// Drops what an evaluation that came to nothing leaves behind.
    func interrupted(_ state: inout FlowRunState)
    /// Drops what is good for no longer than the step.
    func expired(_ state: inout FlowRunState)
}

/// The budget of the open step: its check, and whom wrong answers are counted for.
struct StepBudget: Hashable {
    /// The person, or the name, for whom wrong answers are counted.
    enum Holder: Hashable {
        /// Somebody who is known.
        case subject(Subject)
        /// The person of a sign-in name, or the name where it is nobody's.
        case signInName(String)
    }

    let check: Check
    /// Nil where nobody has been named yet.
    let holder: Holder?
}

/// The sentences of one kind of step; another language is another value.
struct StepTexts: Sendable {
    let title: String
    /// The labels of its fields, by node.
    var labels: [String: String] = [:]
    /// Said after a wrong answer.
    var wrong = Message(code: "answer.wrong", level: .error, text: "That is not correct.")
    /// Said where the step before took too long.
    var expired = Message(code: "step.expired", level: .info, text: "That took too long. Please answer again.")

    /// The label of a node.
    func label(_ node: String) -> String { labels[node] ?? node }
}

extension StepKind {
    var checkType: CheckType? { nil }

    func begin(_ machine: FlowMachine, _ state: inout FlowRunState, now: Moment) -> [FlowEffect]? {
        guard let check = machine.nextCheck(state), check.type == checkType else { return nil }
        return machine.open(&state, self, check: check.name, now: now)
    }

    func data(_ state: FlowRunState) -> JSONValue? { nil }

    func actions(_ machine: FlowMachine, _ state: FlowRunState) -> [Action] { [] }

    func lifetime(_ machine: FlowMachine, _ step: OpenStep) -> Duration { FlowLimits.stepLife }

    func ends(after step: OpenStep, _ machine: FlowMachine, now: Moment) -> Deadline {
        Deadline(lifetime(machine, step), after: now)
    }

    func budget(_ machine: FlowMachine, _ state: FlowRunState) -> StepBudget? { nil }

    func proved(
        _ person: ProvenPerson?,
        names: [String],
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        guard let check = machine.check(state) else { return machine.fail(&state, .internal, now: now) }
        return machine.credit(&state, person, names: names, by: check, now: now)
    }

    func act(
        _ action: Action.Name,
        submission: String,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        [.refuse(Refusals.noSuchAction(action.rawValue))]
    }

    func interrupted(_ state: inout FlowRunState) {}

    func expired(_ state: inout FlowRunState) {}
}
