import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowMachine {
    /// Continues with the finding of an evaluation.
    func evaluated(_ state: inout FlowRunState, _ finding: Finding, now: Moment) -> [FlowEffect] {
        if case .nameTaken = finding { return nameTaken(&state, now: now) }
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
        case .wrong:
            record(&state, .rejected)
            state.state = .challenge
            if let step {
                let wrong = texts(state).message(step.kind.texts.wrong, .error, node: step.kind.texts.wrongNode)
                let ends = step.kind.ends(after: step, self, now: now).earlier(state.ends)
                reopen(&state, ends: ends, message: wrong)
            }
            return [.audit(.signInFailed, facts(step)), .answer(.rejected)]
        case .exhausted(let retryAfterMs):
            state.retryAfterMs = retryAfterMs
            return [.audit(.signInFailed, facts(step))] + fail(&state, .blocked, now: now)
        case .right(let person, let names):
            guard let step else { return fail(&state, .internal, now: now) }
            return step.kind.proved(person, names: names, self, &state, now: now)
        case .consent(let isGiven):
            state.hasConsentedBefore = isGiven
            return advance(&state, now: now)
        case .hashed(let hash):
            state.draft?.passwordHash = hash
            return advance(&state, now: now)
        case .codeMade(let made): return codeMade(&state, made, now: now)
        case .nameTaken: return []
        }
    }

    /// The details of a step for the audit.
    func facts(_ step: OpenStep?) -> [String: String] {
        var facts: [String: String] = [:]
        if let step { facts["step"] = step.kind.type.rawValue }
        if let check = step?.check { facts["check"] = check }
        return facts
    }

    /// Asks for another name.
    private func nameTaken(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        state.draft = nil
        state.code = nil
        state.proofs = []
        state.finished = nil
        record(&state, .rejected)
        let message = texts(state).message(.nameTaken, .error, node: policy.signInName.attributes.first)
        _ = open(&state, AttributesStep(), messages: [message], now: now)
        return [.audit(.signUpRefused, ["reason": "name.taken"]), .answer(.rejected)]
    }
}

extension FlowMachine {
    /// Records a correct answer to a check, and continues.
    ///
    /// - Parameters:
    ///   - state: The flow.
    ///   - person: The person whom the answer proves; nil if the person was known before.
    ///   - names: The person's names, any of which may have been required.
    ///   - check: The check that was passed.
    ///   - now: The time of the answer.
    /// - Returns: The effects of the next step.
    func credit(
        _ state: inout FlowRunState,
        _ person: ProvenPerson?,
        names: [String],
        by check: Check,
        now: Moment
    ) -> [FlowEffect] {
        if let person {
            if let effects = accept(&state, person, names: names, now: now) { return effects }
            state.person = person
        }
        prove(&state, check, now: now)
        return [.audit(.credentialAccepted, ["credential": check.credential.rawValue])] + advance(&state, now: now)
    }

    /// Ends the flow if the proven person may not answer it (contract §4, `wrong_user`).
    private func accept(
        _ state: inout FlowRunState,
        _ person: ProvenPerson,
        names: [String],
        now: Moment
    ) -> [FlowEffect]? {
        let isRight =
            switch state.requirement.user {
            case .user(let user): user == person.user
            case .signInName(let name): names.contains { Names.areEqual($0, name) }
            case .hint, nil: true
            }
        let isSame = state.person.map { $0.user == person.user } ?? true
        return isRight && isSame ? nil : wrongUser(&state, now: now)
    }

    /// Ends a flow that another person answered.
    func wrongUser(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        record(&state, .rejected)
        end(&state, .failed(.wrongUser), now: now)
        return [.audit(.flowFailed, ["reason": FailureReason.wrongUser.rawValue]), .refuse(Refusals.wrongUser)]
    }
}
