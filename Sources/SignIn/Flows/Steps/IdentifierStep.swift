import FlowModel
import Moments
import OAuth
import Policies

/// The step that prompts for the sign-in name of a user who then receives a code by e-mail.
struct IdentifierStep: StepKind {
    let type = StepType.identifier
    let texts = StepTexts(title: .identifierTitle)

    func begin(_ run: inout FlowRun) -> Bool {
        guard run.record.known.person == nil, let check = run.plan.nextCheck, check.type == .emailCode else {
            return false
        }
        run.open(self, check: check.name)
        return true
    }

    func nodes(_ view: FlowView) -> [Node] { [view.nameNode] }

    func title(_ record: FlowRecord) -> TextKey {
        switch record.known.path {
        case .signIn, .signUp: texts.title
        case .reset: .resetTitle
        }
    }

    /// Returns the purpose of the code, or `nil` for a sign-in.
    func data(_ record: FlowRecord) -> JSONValue? {
        switch record.known.path {
        case .signIn, .signUp: nil
        case .reset: ["purpose": "password_reset"]
        }
    }

    func actions(_ view: FlowView) -> [Action] {
        let mayReturn = view.record.known.path == .reset && view.policy.kind.signsIn
        return (view.mayCreate ? [Action(.create)] : []) + (mayReturn ? [Action(.back)] : [])
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> String {
        var answers = answers
        let name = answers.signInName(run.machine.policy.signInName, fallback: run.plan.knownName)
        try answers.finish()
        guard let name else { throw .malformed([]) }
        let isSame = run.record.inHand.typedName.map { Names.areEqual($0, name) } ?? false
        try CodeStep.requireMail(sameAs: isSame, run)
        return name
    }

    func take(_ name: String, _ run: inout FlowRun) {
        run.record.inHand.typedName = name
        let check = run.record.step?.check ?? ""
        CodeStep().make(.name(name, check: check, forPassword: run.record.known.path == .reset), &run)
    }

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) {
        switch action {
        case .create: run.take(.signUp, submission)
        case .back: run.take(.signIn, submission)
        case .cancel, .resend, .forgot, .choose, .other: run.refuse(Refusals.noSuchAction(action.rawValue))
        }
    }
}
