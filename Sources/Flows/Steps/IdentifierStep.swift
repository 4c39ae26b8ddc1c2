import FlowModel
import Moments
import OAuth
import Policies

/// Asks for a sign-in name alone, if a code follows.
struct IdentifierStep: StepKind {
    let type = StepType.identifier
    let texts = StepTexts(title: .signInTitle)

    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        guard run.state.person == nil, let check = run.context.nextCheck, check.type == .emailCode else { return nil }
        return run.open(self, check: check.name)
    }

    func nodes(_ context: FlowContext) -> [Node] { [context.nameNode] }

    func actions(_ context: FlowContext) -> [Action] {
        context.mayCreate ? [Action(.create)] : []
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> String {
        var answers = answers
        let name = answers.text("username", most: FlowLimits.nameLength, fallback: run.context.knownName)
        try answers.finish()
        guard let name else { throw .malformed([]) }
        let isSame = run.state.typedName.map { Names.areEqual($0, name) } ?? false
        try run.requireMail(sameAs: isSame)
        return name
    }

    func take(_ name: String, _ run: inout FlowRun) -> [FlowEffect] {
        run.state.typedName = name
        return [run.machine.makeCode(.name(name, check: run.state.step?.check ?? ""))]
    }

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) -> [FlowEffect] {
        run.create(submission)
    }
}
