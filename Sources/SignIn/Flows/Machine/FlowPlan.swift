import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies

/// What a flow requires, by its policy and its record: the checks, and what it changes when it ends well.
struct FlowPlan: Sendable {
    let machine: FlowMachine
    let record: FlowRecord

    var policy: Policy { machine.policy }
    var order: FlowOrder { record.order }
    var known: FlowFacts { record.known }

    /// The checks that this flow must prove, in the order in which they are asked: those of the sign-in, of every
    /// token, and of the requirement.
    var plannedChecks: [Check] {
        if order.isAuthenticated { return [] }
        let signIn = signInChecks
        // What a person enrols is asked of a person who is known already.
        var all = signIn.filter { !$0.type.isEnrolled } + signIn.filter(\.type.isEnrolled)
        all += secondFactorChecks
        for group in [policy.mandatoryScope, order.requirement.checks] { all += machine.catalogue.ordered(group) }
        var seen: Set<String> = []
        return all.filter { seen.insert($0.name).inserted }
    }

    /// The checks that tell who somebody is: the policy's, and before them, whatever the order of checks is, those that
    /// stand for a password that is forgotten.
    private var signInChecks: [Check] {
        let usual = machine.catalogue.ordered(policy.signInChecks)
        switch known.path {
        case .signUp, .signIn: return usual
        case .reset:
            return machine.catalogue.ordered(machine.catalogue.first(.passwordReset)?.signInChecks ?? []) + usual
        }
    }

    /// Whether a code to an address is still to be asked for.
    var lacksAddressCheck: Bool { plannedChecks.contains { $0.credential == .email && !isMet($0) } }

    /// The first check that a flow still has to prove.
    var nextCheck: Check? {
        plannedChecks.first { !isMet($0) }
    }

    /// The check of the open step.
    var check: Check? { record.step.flatMap(machine.check) }

    /// Whether a check needs no further question.
    ///
    /// Its credential was proved in this flow or is made by it, or the session had proved it and the requirement does
    /// not ask for it again.
    func isMet(_ check: Check) -> Bool {
        if known.proofs.contains(where: { policy.accepts($0, for: check) }) { return true }
        // Whoever forgot the password proves everything in this flow.
        if known.path == .reset { return false }
        if !order.requirement.checks.contains(check.name), !provesAgain || !policy.signInChecks.contains(check.name),
            known.sessionProofs.contains(where: { policy.accepts($0, for: check) })
        {
            return true
        }
        return known.path == .signUp && record.inHand.draft?.credentials.contains(check.credential) == true
    }

    /// Whether a person who lacks the credential of a check may enrol it in this flow; not in one that removes it.
    func mayEnrol(_ check: Check) -> Bool {
        switch order.requirement.change {
        case .enrol(let name): check.allowsEnrolment || name == check.name
        case .remove(let credential): check.allowsEnrolment && credential != check.credential
        case .link, .unlink, nil: check.allowsEnrolment
        }
    }

    /// Whether the flow changes a credential: the person then proves again what the policy signs in with.
    private var provesAgain: Bool { known.enrolled.values.contains(false) || order.requirement.change != nil }

    /// The person whom the flow is about, once that is certain: the one who has proved it, or the new one.
    var person: UserID? {
        switch known.path {
        case .signIn, .reset: known.person?.user
        case .signUp: record.derivedUser
        }
    }

    /// The first step that a flow on this path may open and its program does not show; nil if it shows them all.
    func unshown(on path: FlowFacts.Path) -> StepType? {
        mayOpen(on: path).first { !order.presentation.shows($0) }
    }

    /// The kinds of steps that a flow on this path may open.
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

    /// Whether a new account's address has to be proved by a code.
    var verifiesAddress: Bool {
        let needsCode = plannedChecks.contains { $0.credential == .email }
        return policy.attribute("email")?.verify == true || needsCode || machine.signUp == .invited
    }

    /// Whether the flow's end leaves a session.
    var leavesSession: Bool { policy.session.scope != .none && order.leavesSession }

    /// Whether the open step lets the person choose to be remembered: its check allows it, and there is a session to come
    /// back to.
    var offersToRemember: Bool { leavesSession && check.map { $0.rememberMe > .zero } == true }

    /// Whether the proof of a check is one of a person who asked to be remembered by it.
    func remembers(_ check: Check) -> Bool {
        switch known.path {
        case .signIn: known.remembers && check.rememberMe > .zero && check.credential == .password
        case .signUp, .reset: false
        }
    }

    /// The name to fill in: the one typed before, the required one, or the request's.
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
