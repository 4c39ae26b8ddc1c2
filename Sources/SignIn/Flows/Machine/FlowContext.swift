import FlowModel
import Moments
import OAuth
import Policies

/// A flow with its rules, read only: everything that is shown of it or follows from it.
struct FlowContext: Sendable {
    let machine: FlowMachine
    let state: FlowRunState

    var policy: Policy { machine.policy }

    /// The checks that this flow must prove, in the order in which they are asked: those of the sign-in, of every
    /// token, and of the requirement.
    var plannedChecks: [Check] {
        if state.isProven == true { return [] }
        let signIn = signInChecks
        // What a person enrols is asked of a person who is known already.
        var all = signIn.filter { !$0.type.isEnrolled } + signIn.filter(\.type.isEnrolled)
        all += secondFactorChecks
        for group in [policy.mandatoryScope, state.requirement.checks] { all += machine.catalogue.ordered(group) }
        var seen: Set<String> = []
        return all.filter { seen.insert($0.name).inserted }
    }

    /// The checks that tell who somebody is: the policy's, and before them, whatever the order of checks is, those that
    /// stand for a password that is forgotten.
    private var signInChecks: [Check] {
        let usual = machine.catalogue.ordered(policy.signInChecks)
        switch state.path {
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

    /// True for a check that needs no further question.
    ///
    /// Its credential was proved in this flow or is made by it, or the session had proved it and the requirement does
    /// not ask for it again.
    private func isMet(_ check: Check) -> Bool {
        if state.proofs.contains(where: { policy.accepts($0, for: check) }) { return true }
        // Whoever forgot the password proves everything in this flow.
        if state.path == .reset { return false }
        if !state.requirement.checks.contains(check.name), !provesAgain || !policy.signInChecks.contains(check.name),
            state.sessionProofs.contains(where: { policy.accepts($0, for: check) })
        {
            return true
        }
        return state.path == .signUp && state.draft?.credentials.contains(check.credential) == true
    }

    /// True if the flow sets a new PIN or adds an authenticator.
    private var enrols: Bool { state.hasPIN == false || state.hasAuthenticator == false }

    /// True if a person who lacks the credential of a check may enrol it in this flow; not in one that removes it.
    func mayEnrol(_ check: Check) -> Bool {
        switch state.requirement.change {
        case .enrol(let name): check.allowsEnrolment || name == check.name
        case .remove(let credential): check.allowsEnrolment && credential != check.credential
        case .link, .unlink, nil: check.allowsEnrolment
        }
    }

    /// True if the flow changes a credential: the person then proves again what the policy signs in with.
    private var provesAgain: Bool { enrols || state.requirement.change != nil }

    /// The person whom the flow is about, once that is certain: the one who has proved it, or the new one.
    var person: UserID? {
        switch state.path {
        case .signIn, .reset: state.person?.user
        case .signUp: derivedUser
        }
    }

    /// The first step that a flow on this path may open and its program does not show; nil if it shows them all.
    func unshown(on path: FlowRunState.Path) -> StepType? {
        let presentation = state.presentation ?? Presentation()
        return mayOpen(on: path).first { !presentation.shows($0) }
    }

    /// The kinds of steps that a flow on this path may open.
    private func mayOpen(on path: FlowRunState.Path) -> [StepType] {
        var steps: [StepType] = []
        var checks = plannedChecks.filter { !isMet($0) }
        switch path {
        case .signUp:
            steps.append(.attributes)
            if verifiesAddress { steps.append(.code) }
            checks.removeAll { $0.credential == .password }
        case .signIn where state.person == nil && (state.provider != nil || !policy.isLocal) && !checks.isEmpty:
            steps.append(.provider)
            checks.removeFirst()
        case .signIn where state.person == nil && checks.first?.type == .emailCode: steps.append(.identifier)
        case .signIn: break
        case .reset:
            if state.person == nil { steps.append(.identifier) }
            steps.append(.newPassword)
            checks.removeAll { $0.credential == .password }
        }
        switch policy.kind {
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp, .passwordReset: break
        case .profileEdit: steps.append(.profile)
        }
        if path == .signIn, state.person == nil, asksAttributesAfterProvider { steps.append(.attributes) }
        if path == .signIn, state.person == nil, !policy.providers.isEmpty, policy.kind.signsUp, policy.needsAddress {
            steps += [.attributes, .code]
        }
        steps += (checks + possibleSecondFactors).flatMap { check -> [StepType] in
            if check.type == .pin, state.hasPIN == false { return [.pinSetup] }
            if check.type == .totp, state.hasAuthenticator == false { return [.totpSetup, .recoveryCodes] }
            return StepKinds.all.filter { $0.checkType == check.type }.map(\.type)
        }
        if case .link? = state.requirement.change { steps.append(.provider) }
        return state.requirement.consent == nil ? steps : steps + [.consent]
    }

    /// True if a new account's address has to be proved by a code.
    var verifiesAddress: Bool {
        let needsCode = plannedChecks.contains { $0.credential == .email }
        return policy.attribute("email")?.verify == true || needsCode || machine.signUp == .invited
    }

    /// The languages to write in, the best first: the person's, the policy's, English.
    var languages: [LanguageTag] {
        [state.presentation?.language, policy.language, .english].compactMap { $0 }
    }

    /// The sentences in the language of a flow.
    var texts: Texts { Texts(for: languages, of: policy) }
}
