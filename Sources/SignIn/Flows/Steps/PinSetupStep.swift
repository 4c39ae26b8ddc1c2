import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// Asks a person who has no PIN for a new one, once everything that the policy signs in with was proved in this flow.
struct PinSetupStep: StepKind {
    let type = StepType.pinSetup
    let mayBeSwapped = true
    let texts = StepTexts(title: .pinSetupTitle)

    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        guard run.state.hasPIN == false, let check = run.context.nextCheck, check.type == .pin else { return nil }
        guard run.context.mayEnrol(check) else { return run.end(with: Refusals.noPIN(check)) }
        return run.open(self, check: check.name)
    }

    func nodes(_ context: FlowContext) -> [Node] {
        let rule = context.check?.pin ?? PINRule()
        return [
            Node(
                name: "pin",
                kind: .secret,
                label: context.texts[.newPIN],
                required: true,
                minLength: rule.minLength,
                maxLength: PINRule.lengths.upperBound,
                pattern: rule.digitsOnly ? "digits" : nil,
                hint: context.texts.hint(rule)
            )
        ]
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Secret {
        var answers = answers
        let context = run.context
        let pin = answers.text("pin", most: FlowLimits.passwordLength)
        if let problem = pin.flatMap({ context.check?.pin?.refusal(ofNew: $0) }) {
            answers.note("pin", problem.code)
        }
        try answers.finish()
        guard let pin else { throw .malformed([]) }
        return Secret(pin)
    }

    func take(_ pin: Secret, _ run: inout FlowRun) -> [FlowEffect] { [.evaluate(.hash(pin, mailTo: nil))] }

    /// Counts the PIN that was set as proved; it is enrolled when the flow ends well.
    func hashed(_ hash: Data, _ run: inout FlowRun) -> [FlowEffect] {
        guard let check = run.context.check else { return run.fail(.internal) }
        run.state.newPIN = hash
        run.state.hasPIN = true
        return run.credit(nil, names: [], by: check)
    }
}
