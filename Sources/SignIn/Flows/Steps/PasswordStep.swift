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
        /// True if the person asks to be remembered.
        let remembers: Bool
    }

    let type = StepType.password
    let checkType: CheckType? = .password
    let texts = StepTexts(title: .passwordTitle, wrong: .credentialsWrong, wrongNode: "password")

    func nodes(_ context: FlowContext) -> [Node] {
        [
            context.nameNode,
            Node(
                name: "password",
                kind: .secret,
                label: context.texts[.password],
                required: true,
                minLength: 1,
                maxLength: FlowLimits.passwordLength
            ),
        ] + (context.offersToRemember ? [Self.rememberMe(context.texts)] : [])
    }

    /// The choice to be remembered (MobileFirst's `rememberMe`).
    private static func rememberMe(_ texts: Texts) -> Node {
        Node(name: "rememberMe", kind: .bool, label: texts[.rememberMe], required: false)
    }

    func actions(_ context: FlowContext) -> [Action] {
        (context.mayCreate ? [Action(.create)] : []) + (context.mayForget ? [Action(.forgot)] : [])
    }

    func budget(_ context: FlowContext) -> StepBudget? {
        context.check.map { StepBudget(check: $0, holder: holder(context.state)) }
    }

    /// The person whom the next answer is for; nil if that is not certain, since a hint may be changed.
    private func holder(_ state: FlowRunState) -> StepBudget.Holder? {
        if let person = state.person { return .signInName(person.username) }
        if let name = state.typedName { return .signInName(name) }
        switch state.requirement.user {
        case .user(let user): return .usualName(of: user)
        case .signInName(let name): return .signInName(name)
        case .hint, nil: return nil
        }
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let name = answers.text("username", most: FlowLimits.nameLength, fallback: run.context.knownName)
        let password = answers.text("password", most: FlowLimits.passwordLength)
        let remembers = run.context.offersToRemember ? answers.take("rememberMe") : nil
        if let remembers, remembers.bool == nil { answers.note("rememberMe", .wrongType) }
        try answers.finish()
        guard let name, let password, let check = run.context.check else { throw .malformed([]) }
        return Answer(name: name, password: Secret(password), check: check, remembers: remembers?.bool == true)
    }

    func take(_ answer: Answer, _ run: inout FlowRun) -> [FlowEffect] {
        run.state.typedName = answer.name
        run.state.remembers = answer.remembers ? true : nil
        return [.evaluate(.password(name: answer.name, password: answer.password, check: answer.check))]
    }

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) -> [FlowEffect] {
        switch action {
        case .create: run.create(submission)
        case .forgot: run.forget(submission)
        case .cancel, .resend, .back, .choose, .other: [.refuse(Refusals.noSuchAction(action.rawValue))]
        }
    }

    /// Stays with the sign-in where no code could be sent.
    func interrupted(_ state: inout FlowRunState) {
        if state.path == .reset { state.path = .signIn }
    }
}
