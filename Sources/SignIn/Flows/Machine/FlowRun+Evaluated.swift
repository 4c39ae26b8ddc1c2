import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowRun {
    /// Continues with the finding of an evaluation.
    mutating func evaluated(_ finding: EvaluationResult) -> [FlowEffect] {
        if case .nameTaken = finding { return nameTaken() }
        guard let claim = state.evaluating else {
            return [.refuse(Refusals.flowFinished(state.state))]
        }
        let step = state.step
        switch finding {
        case .refused(let refusal):
            state.submissions.removeAll { $0.id == claim.submission }
            state.evaluating = nil
            state.state = .challenge
            state.rev += 1
            step?.kind.interrupted(&state)
            let isBlocked = refusal.reason == .blocked
            return (isBlocked ? [.audit(.signInBlocked, facts(step))] : []) + [.refuse(refusal)]
        case .wrong where state.isBrought == true && step?.kind.type == .provider:
            // Anybody can bring anything, so its event is one of those that are bounded.
            return end(with: Refusals.tokenNotOurs)
        case .wrong:
            record(.rejected)
            state.state = .challenge
            if let step {
                let wrong = context.texts.message(step.kind.texts.wrong, .error, node: step.kind.texts.wrongNode)
                let ends = step.kind.ends(after: step, self).earlier(state.ends)
                reopen(ends: ends, message: wrong)
            }
            return [.audit(.signInFailed, facts(step)), .answer(.rejected)]
        case .exhausted(let retryAfterMs):
            state.retryAfterMs = retryAfterMs
            state.usedUp = step.flatMap(machine.check).map(context.tries(of:)) ?? .proof
            return [.audit(.signInFailed, facts(step))] + fail(.blocked)
        case .right(let person, let names):
            guard let step else { return fail(.internal) }
            return step.kind.proved(person, names: names, &self)
        case .consent(let isGiven):
            state.hasConsentedBefore = isGiven
            return advance()
        case .enrolled(let isEnrolled):
            return found(isEnrolled)
        case .secondFactor(let choice, let others):
            state.secondFactor = choice
            state.otherFactors = others.isEmpty ? nil : others
            switch choice {
            case .check: break
            case .knownDevice:
                let proof = Proof(
                    check: Credential.device.rawValue,
                    credential: .device,
                    at: now.wall,
                    acr: "0",
                    amr: []
                )
                state.proofs.append(proof)
            }
            return advance()
        case .profile(let attributes):
            state.profile = attributes
            return advance()
        case .hashed(let hash):
            guard let step else { return fail(.internal) }
            return step.kind.hashed(hash, &self)
        case .codeMade(let made): return codeMade(made)
        case .identified(let identity, let person, let names): return identified(identity, person, names: names)
        case .realm(let found, let check): return realm(found, check)
        case .connector(let place, let said): return connector(place, said)
        case .nameTaken: return []
        }
    }

    /// Continues with the knowledge if the person has the credential of the check that is to be asked.
    private mutating func found(_ isEnrolled: Bool) -> [FlowEffect] {
        guard let check = context.nextCheck else { return fail(.internal) }
        // Another may be set in place of the one there is.
        let isKept = isEnrolled && state.requirement.change != .enrol(check: check.name)
        if check.credential == .totp { state.hasAuthenticator = isKept } else { state.hasPIN = isKept }
        return advance()
    }

    /// The details of a step for the audit.
    private func facts(_ step: OpenStep?) -> [String: String] {
        var facts: [String: String] = [:]
        if let step { facts["step"] = step.kind.type.rawValue }
        if let check = step?.check { facts["check"] = check }
        return facts
    }

    /// Asks for another name.
    private mutating func nameTaken() -> [FlowEffect] {
        if state.isLinking { return refuse(link: .linkedMeanwhile) }
        // Another flow made the account of the same person just now; signing in again finds it.
        if state.draft?.identity != nil || state.newIdentity != nil { return fail(.denied) }
        state.draft = nil
        state.code = nil
        state.proofs = []
        state.finished = nil
        state.hasPIN = nil
        state.hasAuthenticator = nil
        state.secondFactor = nil
        state.otherFactors = nil
        state.askedConnectors = nil
        state.provenAddress = nil
        record(.rejected)
        let message = context.texts.message(.nameTaken, .error, node: machine.policy.signInName.attributes.first)
        _ = open(AttributesStep(), messages: [message])
        return [.audit(.signUpRefused, ["reason": "name.taken"]), .answer(.rejected)]
    }
}

extension FlowRun {
    /// Records a correct answer to a check, and continues.
    ///
    /// - Parameters:
    ///   - person: The person whom the answer proves; nil if the person was known before.
    ///   - names: The person's names, any of which may have been required.
    ///   - check: The check that was passed.
    /// - Returns: The effects of the next step.
    mutating func credit(_ person: ProvenPerson?, names: [String], by check: Check) -> [FlowEffect] {
        if let person {
            if let effects = accept(person, names: names) { return effects }
            state.person = person
        }
        prove(check)
        return [.audit(.credentialAccepted, ["credential": check.credential.rawValue])] + advance()
    }

    /// Ends the flow if the proven person may not answer it (contract §4, `wrong_user`).
    mutating func accept(_ person: ProvenPerson, names: [String]) -> [FlowEffect]? {
        let isRight =
            switch state.requirement.user {
            case .user(let user): user == person.user
            case .signInName(let name): names.contains { Names.areEqual($0, name) }
            case .hint, nil: true
            }
        let isSame = state.person.map { $0.user == person.user } ?? true
        return isRight && isSame ? nil : wrongUser()
    }

    /// Ends a flow that cannot go on, and tells the caller why.
    mutating func end(with refusal: Refusal) -> [FlowEffect] {
        record(.rejected)
        end(.failed(.denied))
        return [.audit(.flowFailed, ["reason": FailureReason.denied.rawValue]), .refuse(refusal)]
    }

    /// Ends a flow that another person answered.
    mutating func wrongUser() -> [FlowEffect] {
        record(.rejected)
        end(.failed(.wrongUser))
        return [.audit(.flowFailed, ["reason": FailureReason.wrongUser.rawValue]), .refuse(Refusals.wrongUser)]
    }
}
