import FlowModel
import Moments
import OAuth
import Policies

/// Asks for a sign-in name alone, if a code follows.
struct IdentifierStep: StepKind {
    let type = StepType.identifier
    let texts = StepTexts(title: .signInTitle)

    func begin(_ machine: FlowMachine, _ state: inout FlowRunState, now: Moment) -> [FlowEffect]? {
        guard state.person == nil, let check = machine.nextCheck(state), check.type == .emailCode else { return nil }
        return machine.open(&state, self, check: check.name, now: now)
    }

    func nodes(_ machine: FlowMachine, _ state: FlowRunState) -> [Node] { [machine.nameNode(state)] }

    func actions(_ machine: FlowMachine, _ state: FlowRunState) -> [Action] {
        machine.mayCreate(state) ? [Action(.create)] : []
    }

    func read(
        _ answers: Answers,
        _ machine: FlowMachine,
        _ state: FlowRunState,
        now: Moment
    ) throws(Answers.Refused) -> String {
        var answers = answers
        let name = answers.text("username", most: FlowLimits.nameLength, fallback: machine.knownName(state))
        try answers.finish()
        guard let name else { throw .malformed([]) }
        let isSame = state.typedName.map { Names.areEqual($0, name) } ?? false
        try machine.requireMail(state, sameAs: isSame, now: now)
        return name
    }

    func take(
        _ name: String,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        state.typedName = name
        return [machine.makeCode(.name(name, check: state.step?.check ?? ""))]
    }

    func act(
        _ action: Action.Name,
        submission: String,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        machine.create(&state, submission, now: now)
    }
}
