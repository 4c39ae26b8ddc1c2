import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// Asks a known person for a new password, once everything that tells who it is was proved in this flow.
struct NewPasswordStep: StepKind {
    let type = StepType.newPassword
    let texts = StepTexts(title: .newPasswordTitle)

    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        guard run.state.path == .reset, run.state.newPassword == nil, run.state.person != nil else { return nil }
        let next = run.context.nextCheck
        guard next == nil || next?.credential == .password else { return nil }
        return run.open(self)
    }

    func nodes(_ context: FlowContext) -> [Node] {
        [AttributesStep.passwordNode("newPassword", context.policy.password, context.texts)]
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Secret {
        var answers = answers
        let password = answers.newPassword("newPassword", run.machine.policy.password)
        try answers.finish()
        guard let password else { throw .malformed([]) }
        return password
    }

    func take(_ password: Secret, _ run: inout FlowRun) -> [FlowEffect] {
        guard let person = run.state.person else { return run.fail(.internal) }
        return [.evaluate(.newPassword(password, person.user))]
    }

    /// Counts the password that was set as proved, as at a sign-up; it is kept when the flow ends well.
    func hashed(_ hash: Data, _ run: inout FlowRun) -> [FlowEffect] {
        run.state.newPassword = hash
        let check = run.machine.catalogue.checks.values.filter { $0.type == .password }.min { $0.name < $1.name }
        guard let check, !run.state.proves(.password) else { return run.advance() }
        return run.credit(nil, names: [], by: check)
    }
}

extension Answers {
    /// Takes a new password, which the policy's rule must accept.
    mutating func newPassword(_ name: String, _ rule: PasswordRule) -> Secret? {
        let password = text(name, most: FlowLimits.answerBytes).map { Secret($0) }
        if let problem = password.flatMap({ rule.refusal(of: $0) }) { note(name, problem.code) }
        return password
    }
}
