import Attempts
import FlowModel
import Moments
import OAuth
import Policies

/// Asks for the PIN that the person has for the uid of the flow.
struct PinStep: StepKind {
    /// A PIN and the person whose it must be.
    struct Answer {
        let pin: Secret
        let person: UserID
        let check: Check
    }

    let type = StepType.pin
    let checkType: CheckType? = .pin
    let texts = StepTexts(title: .pinTitle, wrong: .pinWrong, wrongNode: "pin", choice: .pinChoice)

    /// Looks first if there is a PIN; a browser alone has no uid, and so none.
    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        let context = run.context
        guard let check = context.nextCheck, check.type == checkType, let person = context.person else { return nil }
        switch run.state.owner {
        case .local: break
        case .browser: return run.end(with: Refusals.pinNeedsUID.with(.check, check.name))
        }
        switch run.state.hasPIN {
        case nil: return [.evaluate(.findPIN(person, check))]
        case true?: return run.open(self, check: check.name, messages: [context.texts.message(.pinNeeded, .info)])
        case false?: return nil
        }
    }

    func nodes(_ context: FlowContext) -> [Node] {
        let rule = context.check?.pin ?? PINRule()
        return [
            Node(
                name: "pin",
                kind: .secret,
                label: context.texts[.pin],
                required: true,
                minLength: PINRule.lengths.lowerBound,
                maxLength: PINRule.lengths.upperBound,
                pattern: rule.digitsOnly ? "digits" : nil
            )
        ]
    }

    func budget(_ context: FlowContext) -> StepBudget? {
        context.personBudget
    }

    /// Reads a PIN; one that nobody can have set is malformed, and not charged.
    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let context = run.context
        let pin = answers.text("pin", most: FlowLimits.passwordLength)
        if let problem = pin.flatMap({ context.check?.pin?.refusal(of: $0) }) {
            answers.note("pin", problem.code)
        }
        try answers.finish()
        guard let pin, let check = context.check, let person = context.person else { throw .malformed([]) }
        return Answer(pin: Secret(pin), person: person, check: check)
    }

    func take(_ answer: Answer, _ run: inout FlowRun) -> [FlowEffect] {
        [.evaluate(.pin(answer.pin, answer.person, answer.check))]
    }
}
