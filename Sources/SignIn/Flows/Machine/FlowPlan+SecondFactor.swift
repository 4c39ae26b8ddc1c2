import FlowModel
import Policies

extension FlowPlan {
    /// The check that is required as the second factor, in an array that is empty if none is required or known yet.
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

    /// The evaluation that determines the second factor, or `nil` if no such evaluation is due.
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

    /// Whether the user has passed a second factor in this flow, so that the device can be remembered.
    var provesDevice: Bool {
        switch policy.secondFactor.when {
        case .never, .always: false
        case .newDevice: secondFactors.contains { check in known.proofs.contains { policy.accepts($0, for: check) } }
        }
    }

    /// Returns the kind of attempts that a wrong answer to a check uses up.
    ///
    /// Once the user is identified, a second-factor check uses up the second factor's attempts.
    func tries(of check: Check) -> Flow.Tries {
        let first = policy.signInChecks.contains(check.name) && !check.type.isEnrolled
        let isSecond = check.type.isEnrolled || policy.secondFactor.checks.contains(check.name)
        return known.person != nil && isSecond && !first ? .secondProof : .proof
    }

    /// The checks that could become the second factor, or an empty array once the second factor is known.
    var possibleSecondFactors: [Check] {
        known.secondFactor == nil && known.path != .signUp && !hasSecondFactor ? secondFactors : []
    }

    /// The device to look up, or `nil` if the policy treats known and unknown devices alike.
    private var askedDevice: String? {
        switch policy.secondFactor.when {
        case .never, .always: nil
        case .newDevice: order.device
        }
    }

    func choices(of step: OpenStep) -> [String] {
        guard step.kind.mayBeSwapped, let check = step.check, known.secondFactor == .check(check) else { return [] }
        return known.otherFactors
    }

    /// Whether a second factor was verified in this flow or in the session that it continues from.
    private var hasSecondFactor: Bool {
        // A code that replaces a forgotten password does not count as a second factor.
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

    /// The policy's second factors, preferred first.
    ///
    /// In a browser, checks that are tied to a uid are left out, unless there are no other checks.
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
    /// Whether a new user can set up this check in the flow that requires it.
    var maySetUp: Bool { !type.isEnrolled || allowsEnrolment }
}
