import Credentials
import FlowModel
import Moments
import OAuth
import Policies

/// Shows the recovery codes of a new authenticator, the one time that they are shown.
struct RecoveryCodesStep: StepKind {
    let type = StepType.recoveryCodes
    let texts = StepTexts(title: .recoveryTitle)

    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        guard run.state.newAuthenticatorStep != nil, let check = run.context.nextCheck, check.type == .totp
        else { return nil }
        return run.open(self, check: check.name)
    }

    func nodes(_ context: FlowContext) -> [Node] {
        let codes = context.newRecoveryCodes.enumerated().map { index, code in
            Node(
                name: "recovery\(index + 1)",
                kind: .info,
                label: context.texts[.recoveryCode, ["number": "\(index + 1)"]],
                required: false,
                value: code.shown
            )
        }
        return codes + [Node(name: "kept", kind: .bool, label: context.texts[.recoveryKept], required: true)]
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) {
        var answers = answers
        switch answers.take("kept") {
        case .bool(true): break
        case nil, .bool(false): answers.note("kept", .missing)
        default: answers.note("kept", .wrongType)
        }
        try answers.finish()
    }

    /// Counts the authenticator as proved; it is added when the flow ends well.
    func take(_ answer: Void, _ run: inout FlowRun) -> [FlowEffect] {
        guard let check = run.context.check else { return run.fail(.internal) }
        run.state.hasAuthenticator = true
        return run.credit(nil, names: [], by: check)
    }
}
