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
    func shownChoices(of step: OpenStep) -> JSONValue? {
        let names = choices(of: step)
        guard !names.isEmpty else { return nil }
        return .array(
            names.map { name in
                let kind = machine.catalogue[check: name].flatMap { check in
                    StepKinds.all.first { $0.checkType == check.type }
                }
                let label = kind?.texts.choice.map { texts[$0] } ?? name
                return ["value": .string(name), "label": .string(label)]
            }
        )
    }
}

extension FlowRun {
    /// Takes the choice of a provider, or of another second factor.
    mutating func choose(_ value: String?, _ submission: String) -> [FlowEffect] {
        guard let value, let step = state.step else { return [.refuse(Refusals.noSuchAction("choose"))] }
        if context.choices(of: step).contains(value) { return swap(step, for: value, submission) }
        if context.mayChoose, machine.policy.providers.contains(value) { return choose(provider: value, submission) }
        return [.refuse(Refusals.noSuchAction("choose"))]
    }

    /// Asks for another second factor; a code that was sent stays good, so that nobody waits for a second mail.
    private mutating func swap(_ step: OpenStep, for name: String, _ submission: String) -> [FlowEffect] {
        let sent = state.code.flatMap { code in
            code.purpose.check == name && code.mac != nil && !code.ends.hasEnded(at: now) ? code : nil
        }
        if sent == nil, machine.catalogue[check: name]?.type == .emailCode {
            do {
                try requireMail(sameAs: false)
            } catch {
                if case .refused(let refusal) = error { return [.refuse(refusal)] }
                return [.refuse(Refusals.noSuchAction("choose"))]
            }
        }
        claim(submission)
        state.otherFactors = machine.policy.secondFactor.checks.filter {
            $0 != name && ($0 == step.check || state.otherFactors?.contains($0) == true)
        }
        state.secondFactor = .check(name)
        guard let sent else { return advance() }
        return open(CodeStep(), check: name, ends: sent.ends)
    }
}
