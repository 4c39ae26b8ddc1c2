import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies

/// The requirements of a flow's policy and request: the checks to pass, and the changes to make on success.
struct FlowPlan: Sendable {
    let machine: FlowMachine
    let record: FlowRecord

    var policy: Policy { machine.policy }
    var order: FlowOrder { record.order }
    var known: FlowFacts { record.known }

    /// The checks to pass in this flow, in order.
    var plannedChecks: [Check] {
        if order.isAuthenticated { return [] }
        let signIn = signInChecks
        // A credential that users enrol can only be requested after the user is identified.
        var all = signIn.filter { !$0.type.isEnrolled } + signIn.filter(\.type.isEnrolled)
        all += secondFactorChecks
        for group in [policy.mandatoryScope, order.requirement.checks] { all += machine.catalogue.ordered(group) }
        var seen: Set<String> = []
        return all.filter { seen.insert($0.name).inserted }
    }

    private var signInChecks: [Check] {
        let usual = machine.catalogue.ordered(policy.signInChecks)
        switch known.path {
        case .signUp, .signIn: return usual
        case .reset:
            return machine.catalogue.ordered(machine.catalogue.first(.passwordReset)?.signInChecks ?? []) + usual
        }
    }

    /// Whether the user must still enter a code sent to an address.
    var lacksAddressCheck: Bool { plannedChecks.contains { $0.credential == .email && !isMet($0) } }

    var nextCheck: Check? {
        plannedChecks.first { !isMet($0) }
    }

    var check: Check? { record.step.flatMap(machine.check) }

    /// Whether a check is satisfied, so that no further prompt is necessary.
    func isMet(_ check: Check) -> Bool {
        if known.proofs.contains(where: { policy.accepts($0, for: check) }) { return true }
        // During a password reset, checks that were passed in an earlier session do not count.
        if known.path == .reset { return false }
        if !order.requirement.checks.contains(check.name), !provesAgain || !policy.signInChecks.contains(check.name),
            known.sessionProofs.contains(where: { policy.accepts($0, for: check) })
        {
            return true
        }
        return known.path == .signUp && record.inHand.draft?.credentials.contains(check.credential) == true
    }

    func mayEnrol(_ check: Check) -> Bool {
        switch order.requirement.change {
        case .enrol(let name): check.allowsEnrolment || name == check.name
        case .remove(let credential): check.allowsEnrolment && credential != check.credential
        case .link, .unlink, nil: check.allowsEnrolment
        }
    }

    /// Whether the user must pass the policy's sign-in checks again, because the flow changes a credential.
    private var provesAgain: Bool { known.enrolled.values.contains(false) || order.requirement.change != nil }

    var person: UserID? {
        switch known.path {
        case .signIn, .reset: known.person?.user
        case .signUp: record.derivedUser
        }
    }

    /// Returns the first step on `path` that the caller's program cannot show, or `nil` if it can show all of them.
    func unshown(on path: FlowFacts.Path) -> StepType? {
        mayOpen(on: path).first { !order.presentation.shows($0) }
    }

    private func mayOpen(on path: FlowFacts.Path) -> [StepType] {
        var steps: [StepType] = []
        var checks = plannedChecks.filter { !isMet($0) }
        switch path {
        case .signUp:
            steps.append(.attributes)
            if verifiesAddress { steps.append(.code) }
            checks.removeAll { $0.credential == .password }
        case .signIn where known.person == nil && (known.provider != nil || !policy.isLocal) && !checks.isEmpty:
            steps.append(.provider)
            checks.removeFirst()
        case .signIn where known.person == nil && checks.first?.type == .emailCode: steps.append(.identifier)
        case .signIn: break
        case .reset:
            if known.person == nil { steps.append(.identifier) }
            steps.append(.newPassword)
            checks.removeAll { $0.credential == .password }
        }
        switch policy.kind {
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp, .passwordReset: break
        case .profileEdit: steps.append(.profile)
        }
        if path == .signIn, known.person == nil, asksAttributesAfterProvider { steps.append(.attributes) }
        if path == .signIn, known.person == nil, !policy.providers.isEmpty, policy.kind.signsUp, policy.needsAddress {
            steps += [.attributes, .code]
        }
        steps += (checks + possibleSecondFactors).flatMap { check -> [StepType] in
            let sets = known.enrolled[check.credential] == false
            return StepKinds.all.filter { (sets ? $0.enrols : $0.checkType) == check.type }.map(\.type)
        }
        if case .link? = order.requirement.change { steps.append(.provider) }
        return order.requirement.consent == nil ? steps : steps + [.consent]
    }

    var verifiesAddress: Bool {
        let needsCode = plannedChecks.contains { $0.credential == .email }
        return policy.attribute("email")?.verify == true || needsCode || machine.signUp == .invited
    }

    var leavesSession: Bool { policy.session.scope != .none && order.leavesSession }

    var offersToRemember: Bool { leavesSession && check.map { $0.rememberMe > .zero } == true }

    func remembers(_ check: Check) -> Bool {
        switch known.path {
        case .signIn: known.remembers && check.rememberMe > .zero && check.credential == .password
        case .signUp, .reset: false
        }
    }

    /// The sign-in name to prefill, from an earlier step or from the request, or `nil` if there is none.
    var knownName: String? {
        if let person = known.person { return person.username }
        if let typed = record.inHand.typedName { return typed }
        switch order.requirement.user {
        case .signInName(let name), .hint(let name): return name
        case .user, nil:
            return record.inHand.prefill["username"]?.string ?? record.inHand.prefill["email"]?.string
        }
    }
}
