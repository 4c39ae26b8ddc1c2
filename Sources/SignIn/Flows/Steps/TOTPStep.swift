import Attempts
import Credentials
import FlowModel
import Moments
import OAuth
import Policies

/// Asks for a code of the person's authenticator app, or for a recovery code.
struct TOTPStep: StepKind {
    /// What was typed, and the person whose it must be.
    struct Answer {
        let typed: AuthenticatorAnswer
        let person: UserID
        let check: Check
    }

    let type = StepType.totp
    let checkType: CheckType? = .totp
    let texts = StepTexts(title: .totpTitle, wrong: .totpWrong, wrongNode: "code", choice: .totpChoice)

    /// Looks first if there is an authenticator.
    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        let context = run.context
        guard let check = context.nextCheck, check.type == checkType, let person = context.person else { return nil }
        switch run.state.hasAuthenticator {
        case nil: return [.evaluate(.findAuthenticator(person, check))]
        case true?: return run.open(self, check: check.name)
        case false?: return nil
        }
    }

    func nodes(_ context: FlowContext) -> [Node] {
        [
            Node(
                name: "code",
                kind: .code,
                label: context.texts[.totpCode],
                required: true,
                minLength: AuthenticatorKey.digits,
                hint: context.texts[.totpHint]
            )
        ]
    }

    func budget(_ context: FlowContext) -> StepBudget? {
        context.personBudget
    }

    /// Reads a code of either form; anything else is malformed, and not charged.
    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let context = run.context
        let text = answers.text("code", most: 32).map { Secret($0) }
        let code = text.flatMap(OneTimeCode.init).map { AuthenticatorAnswer.code(Secret($0.reveal())) }
        let typed = code ?? text.flatMap(RecoveryCode.init).map { .recovery($0) }
        if text != nil, typed == nil { answers.note("code", .malformed) }
        try answers.finish()
        guard let typed, let check = context.check, let person = context.person else { throw .malformed([]) }
        return Answer(typed: typed, person: person, check: check)
    }

    func take(_ answer: Answer, _ run: inout FlowRun) -> [FlowEffect] {
        [.evaluate(.authenticator(answer.typed, answer.person, answer.check))]
    }
}
