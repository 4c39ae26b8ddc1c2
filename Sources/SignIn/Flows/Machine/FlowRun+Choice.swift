import FlowModel
import Moments
import OAuth
import Policies

/// The choice of another second factor than the one that is asked for.
extension FlowContext {
    /// The checks that may be chosen in place of that of the open step; empty if there are none.
    func choices(of step: OpenStep) -> [String] {
        guard step.kind.mayBeSwapped, case .check(step.check)? = state.secondFactor else { return [] }
        return state.otherFactors ?? []
    }

    /// The choices as a client shows them.
    func shownChoices(of step: OpenStep) -> [StepChoice] {
        choices(of: step).map { name in
            let type = machine.catalogue[check: name]?.type
            let kind = StepKinds.all.first { $0.checkType == type && type != nil }
            return StepChoice(value: name, label: kind?.texts.choice.map { texts[$0] } ?? name)
        }
    }
}

extension FlowRun {
    /// Takes the choice of a provider, or of another second factor.
    mutating func choose(_ value: String?, _ submission: String) -> [FlowEffect] {
        guard let value, let step = state.step else { return [.refuse(Refusals.noSuchAction("choose"))] }
        if context.choices(of: step).contains(value) { return swap(step, for: value, submission) }
        if context.providerToLink == value { return choose(provider: value, submission) }
        if context.mayChoose, machine.policy.providers.contains(value) { return choose(provider: value, submission) }
        return [.refuse(Refusals.noSuchAction("choose"))]
    }

    /// Asks for another second factor; a code that was sent stays good, so that nobody waits for a second mail.
    private mutating func swap(_ step: OpenStep, for name: String, _ submission: String) -> [FlowEffect] {
        let sent = state.code.flatMap { code in
            code.purpose.check == name && code.mac != nil && !code.ends.hasEnded(at: now) ? code : nil
        }
        let sendsMail = sent == nil && machine.catalogue[check: name]?.type == .emailCode
        if sendsMail, let refusal = mailRefusal(sameAs: false) { return [.refuse(refusal)] }
        claim(submission)
        state.otherFactors = machine.policy.secondFactor.checks.filter {
            $0 != name && ($0 == step.check || state.otherFactors?.contains($0) == true)
        }
        state.secondFactor = .check(name)
        guard let sent else { return advance() }
        return open(CodeStep(), check: name, ends: sent.ends)
    }
}
