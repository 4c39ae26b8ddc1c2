import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowMachine {
    /// Goes on with what an evaluation found out.
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
            if step?.type == .attributes { state.draft = nil }
            let isBlocked = refusal.reason == .blocked
            return (isBlocked ? [.audit("signin.blocked", facts(step))] : []) + [.refuse(refusal)]
        case .wrong(let attempts):
            record(&state, .rejected)
            state.state = .challenge
            if let step { reopen(&state, ends: renewed(step, state, now: now), message: Texts.wrong(step.type)) }
            state.step?.attempts = attempts
            return [.audit("signin.failed", facts(step)), .answer(.rejected)]
        case .exhausted(_, let retryAfterMs):
            state.retryAfterMs = retryAfterMs
            return [.audit("signin.failed", facts(step))] + fail(&state, .blocked, now: now)
        case .password(let person, let names): return signedIn(&state, person, names: names, now: now)
        case .code: return codeProved(&state, now: now)
        case .hashed(let hash):
            state.draft?.passwordHash = hash
            return advance(&state, now: now)
        case .codeMade(let made): return codeMade(&state, made, now: now)
        case .nameTaken: return []
        }
    }

    /// What the audit says about a step.
    func facts(_ step: OpenStep?) -> [String: String] {
        var facts: [String: String] = [:]
        if let step { facts["step"] = step.type.rawValue }
        if let check = step?.check { facts["check"] = check }
        return facts
    }

    /// A code's step ends with the code; another gets its time anew.
    private func renewed(_ step: OpenStep, _ state: FlowRunState, now: Moment) -> Deadline {
        step.type == .code ? step.ends : Deadline(life(of: step), after: now).earlier(state.ends)
    }
}

extension FlowMachine {
    /// Whether somebody who proved who he is may answer this flow; if not, ends it (contract §4, `wrong_user`).
    func accept(_ state: inout FlowRunState, _ person: ProvenPerson, names: [String], now: Moment) -> [FlowEffect]? {
        let isRight =
            switch state.requirement.user {
            case .user(let user): user == person.user
            case .signInName(let name): names.contains { Names.areEqual($0, name) }
            case .hint, nil: true
            }
        let isSame = state.person.map { $0.user == person.user } ?? true
        return isRight && isSame ? nil : wrongUser(&state, now: now)
    }

    /// Ends a flow that somebody else answered.
    func wrongUser(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        record(&state, .rejected)
        end(&state, .failed(.wrongUser), now: now)
        return [.audit("flow.failed", ["reason": FailureReason.wrongUser.rawValue]), .refuse(Refusals.wrongUser)]
    }
}
