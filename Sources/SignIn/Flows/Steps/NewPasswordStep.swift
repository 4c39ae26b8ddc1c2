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
        let context = run.context
        guard run.state.newPassword == nil, run.state.person != nil else { return nil }
        let next = context.nextCheck
        switch run.state.path {
        case .signUp: return nil
        case .reset: return next == nil || next?.credential == .password ? run.open(self) : nil
        case .signIn:
            guard next == nil, context.passwordHasExpired(at: run.now) else { return nil }
            return run.open(self, messages: [context.texts.message(.passwordExpired, .info)])
        }
    }

    func nodes(_ context: FlowContext) -> [Node] {
        [AttributesStep.passwordNode("newPassword", context.policy.password, context.texts)]
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Secret {
        var answers = answers
        let password = answers.newPassword("newPassword", run.machine.policy.password, on: run.machine.today)
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

extension FlowContext {
    /// True if the person has proved who they are with a password that must be changed: an operator says so, or the
    /// policy's rule about its age.
    func passwordHasExpired(at now: Moment) -> Bool {
        guard let person = state.person, let setAt = person.passwordSetAt, state.proves(.password) else { return false }
        if person.mustChangePassword == true { return true }
        return policy.password.expiresAfter.map { !Proof.isRecent(setAt, within: $0, at: now) } ?? false
    }
}

extension Answers {
    /// Takes a new password, which the policy's rule must accept.
    mutating func newPassword(_ name: String, _ rule: PasswordRule, on today: CalendarDay) -> Secret? {
        let password = text(name, most: FlowLimits.answerBytes).map { Secret($0) }
        if let refusal = password.flatMap({ rule.refusal(of: $0, on: today) }) { note(name, refusal, of: rule) }
        return password
    }
}
