import Attempts
import FlowModel
import Moments
import OAuth
import Policies

/// Asks for a sign-in name and a password.
struct PasswordStep: StepKind {
    /// A name and a password.
    struct Answer {
        let name: String
        let password: Secret
        let check: Check
    }

    let type = StepType.password
    let checkType: CheckType? = .password
    let texts = StepTexts(title: .signInTitle, wrong: .credentialsWrong, wrongNode: "password")

    func nodes(_ machine: FlowMachine, _ state: FlowRunState) -> [Node] {
        [
            machine.nameNode(state),
            Node(
                name: "password",
                kind: .secret,
                label: machine.texts(state)[.password],
                required: true,
                minLength: 1,
                maxLength: FlowLimits.passwordLength
            ),
        ]
    }

    func actions(_ machine: FlowMachine, _ state: FlowRunState) -> [Action] {
        machine.mayCreate(state) ? [Action(.create)] : []
    }

    func lifetime(_ machine: FlowMachine, _ step: OpenStep) -> Duration {
        machine.check(step)?.attemptingStateExpiration ?? FlowLimits.stepLife
    }

    func budget(_ machine: FlowMachine, _ state: FlowRunState) -> StepBudget? {
        machine.check(state).map { StepBudget(check: $0, holder: holder(state)) }
    }

    /// The person whom the next answer is for; nil if that is not certain, since a hint may be changed.
    private func holder(_ state: FlowRunState) -> StepBudget.Holder? {
        if let person = state.person { return .subject(.user(person.user)) }
        if let name = state.typedName { return .signInName(name) }
        switch state.requirement.user {
        case .user(let user): return .subject(.user(user))
        case .signInName(let name): return .signInName(name)
        case .hint, nil: return nil
        }
    }

    func read(
        _ answers: Answers,
        _ machine: FlowMachine,
        _ state: FlowRunState,
        now: Moment
    ) throws(Answers.Refused) -> Answer {
        var answers = answers
        let name = answers.text("username", most: FlowLimits.nameLength, fallback: machine.knownName(state))
        let password = answers.text("password", most: FlowLimits.passwordLength)
        try answers.finish()
        guard let name, let password, let check = machine.check(state) else { throw .malformed([]) }
        return Answer(name: name, password: Secret(password), check: check)
    }

    func take(
        _ answer: Answer,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        state.typedName = answer.name
        return [.evaluate(.password(name: answer.name, password: answer.password, check: answer.check))]
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
