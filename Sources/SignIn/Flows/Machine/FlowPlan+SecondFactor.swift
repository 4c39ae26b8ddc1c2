import FlowModel
import Policies

/// The second proof that a policy asks for after the sign-in's.
extension FlowPlan {
    /// The check that is asked as the second factor, once that is known.
    ///
    /// Nobody who is new has one: the first check is asked, so that whoever makes the account sets it up.
    var secondFactorChecks: [Check] {
        switch policy.secondFactor.when {
        case .never: return []
        case .always, .newDevice: break
        }
        switch known.secondFactor {
        case .check(let name)?: return machine.catalogue.ordered([name])
        case .knownDevice?: return []
        case nil:
            switch known.path {
            case .signUp: return [secondFactors.first(where: \.maySetUp) ?? secondFactors.first].compactMap { $0 }
            case .signIn, .reset: return []
            }
        }
    }

    /// The question that must be answered before a second factor is asked for; nil if there is none, or it is not yet time.
    var secondFactorQuestion: Evaluation? {
        guard known.secondFactor == nil, !order.isAuthenticated, let person = known.person, !secondFactors.isEmpty,
            !hasSecondFactor
        else { return nil }
        switch known.path {
        case .signUp: return nil
        case .signIn, .reset:
            return nextCheck == nil ? .findSecondFactor(person.user, secondFactors, device: askedDevice) : nil
        }
    }

    /// True if the flow proves a second factor at a device that is to be remembered.
    var provesDevice: Bool {
        switch policy.secondFactor.when {
        case .never, .always: false
        case .newDevice: secondFactors.contains { check in known.proofs.contains { policy.accepts($0, for: check) } }
        }
    }

    /// The tries that wrong answers to a check use up: those of a person who is known already are of a second proof.
    func tries(of check: Check) -> Flow.Tries {
        let first = policy.signInChecks.contains(check.name) && !check.type.isEnrolled
        let isSecond = check.type.isEnrolled || policy.secondFactor.checks.contains(check.name)
        return known.person != nil && isSecond && !first ? .secondProof : .proof
    }

    /// The steps of every second factor, while it is not known which is asked for.
    var possibleSecondFactors: [Check] {
        known.secondFactor == nil && known.path != .signUp && !hasSecondFactor ? secondFactors : []
    }

    /// The device that is looked up, where known ones need no second factor.
    private var askedDevice: String? {
        switch policy.secondFactor.when {
        case .never, .always: nil
        case .newDevice: order.device
        }
    }

    /// The checks that may be chosen in place of that of the open step; empty if there are none.
    func choices(of step: OpenStep) -> [String] {
        guard step.kind.mayBeSwapped, let check = step.check, known.secondFactor == .check(check) else { return [] }
        return known.otherFactors
    }

    /// True if one was proved in this flow or by its session.
    private var hasSecondFactor: Bool {
        // The code that stands for the forgotten password is no second one.
        let first = machine.catalogue.first(.passwordReset)?.signInChecks ?? []
        let proofs =
            switch known.path {
            case .reset: known.proofs.filter { !first.contains($0.check) }
            case .signIn, .signUp: known.proofs + known.sessionProofs
            }
        return policy.secondFactor.isMet(by: proofs) { name in
            guard let check = machine.catalogue[check: name] else { return false }
            return proofs.contains { policy.accepts($0, for: check) }
        }
    }

    /// The checks of the policy that the flow's owner can answer, the preferred first; all of them if it can answer none.
    private var secondFactors: [Check] {
        switch policy.secondFactor.when {
        case .never: return []
        case .always, .newDevice: break
        }
        let all = policy.secondFactor.checks.compactMap { machine.catalogue[check: $0] }
        switch order.owner {
        case .local: return all
        case .browser:
            let others = all.filter { !$0.type.belongsToUID }
            return others.isEmpty ? all : others
        }
    }
}

extension Check {
    /// True if a person who is new can answer it in the flow that asks.
    var maySetUp: Bool { !type.isEnrolled || allowsEnrolment }
}
