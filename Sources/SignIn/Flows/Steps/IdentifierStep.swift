import FlowModel
import Moments
import OAuth
import Policies

/// Asks for a sign-in name alone, if a code follows.
struct IdentifierStep: StepKind {
    let type = StepType.identifier
    let texts = StepTexts(title: .identifierTitle)

    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        guard run.state.person == nil, let check = run.context.nextCheck, check.type == .emailCode else { return nil }
        return run.open(self, check: check.name)
    }

    func nodes(_ context: FlowContext) -> [Node] { [context.nameNode] }

    func title(_ state: FlowRunState) -> TextKey {
        switch state.path {
        case .signIn, .signUp: texts.title
        case .reset: .resetTitle
        }
    }

    /// The purpose of the code, if it is not for a sign-in.
    func data(_ state: FlowRunState) -> JSONValue? {
        switch state.path {
        case .signIn, .signUp: nil
        case .reset: ["purpose": "password_reset"]
        }
    }

    func actions(_ context: FlowContext) -> [Action] {
        let mayReturn = context.state.path == .reset && context.policy.kind.signsIn
        return (context.mayCreate ? [Action(.create)] : []) + (mayReturn ? [Action(.back)] : [])
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
        let check = run.state.step?.check ?? ""
        return [run.machine.makeCode(.name(name, check: check, forPassword: run.state.path == .reset))]
    }

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) -> [FlowEffect] {
        switch action {
        case .create: return run.create(submission)
        case .back:
            run.claim(submission)
            run.state.path = .signIn
            return run.advance()
        case .cancel, .resend, .forgot, .choose, .other: return [.refuse(Refusals.noSuchAction(action.rawValue))]
        }
    }
}
