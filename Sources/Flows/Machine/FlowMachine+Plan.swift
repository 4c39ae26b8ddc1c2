import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowMachine {
    /// Does whatever comes next: opens a step, wants a code made, or finishes.
    func advance(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        if state.path == .signUp {
            guard let draft = state.draft else { return open(&state, .attributes, now: now) }
            if draft.mustVerify, let email = draft.email { return [makeCode(.newAddress(email))] }
        }
        for check in plannedChecks(state) where !isMet(check, state) {
            switch check.type {
            case .password: return open(&state, .password, check: check.name, now: now)
            case .emailCode:
                guard let person = state.person else {
                    return open(&state, .identifier, check: check.name, now: now)
                }
                return [makeCode(.person(person, check: check.name))]
            }
        }
        if state.requirement.consent != nil, !state.consented { return open(&state, .consent, now: now) }
        return finish(&state, now: now)
    }

    /// Opens a step of a kind.
    func open(
        _ state: inout FlowRunState,
        _ type: StepType,
        check: String? = nil,
        attempts: AttemptsLeft? = nil,
        ends: Deadline? = nil,
        messages: [Message] = [],
        now: Moment
    ) -> [FlowEffect] {
        let isAnswer = state.evaluating != nil
        record(&state, .next)
        state.state = .challenge
        state.ordinal += 1
        state.rev += 1
        var step = OpenStep(ordinal: state.ordinal, type: type, check: check, ends: ends ?? state.ends)
        if ends == nil {
            let life = Deadline(life(of: step), after: now).earlier(state.ends)
            step = OpenStep(ordinal: state.ordinal, type: type, check: check, ends: life)
        }
        step.attempts = attempts ?? budget(type, check)
        step.messages = messages
        state.step = step
        return isAnswer ? [.answer(.next)] : []
    }

    /// Whether a check needs no more question: its credential was proved in this flow or is made by it, or the session
    /// had proved it and the requirement does not ask for it once more.
    private func isMet(_ check: Check, _ state: FlowRunState) -> Bool {
        let credential = Credential(check.type)
        if state.proves(credential) { return true }
        if !state.requirement.checks.contains(check.name),
            state.sessionProofs.contains(where: { $0.credential == credential.rawValue })
        {
            return true
        }
        return state.path == .signUp && credential == .password && state.draft?.passwordHash != nil
    }

    private func budget(_ type: StepType, _ check: String?) -> AttemptsLeft? {
        guard type == .password, let check = check.flatMap({ catalogue[check: $0] }) else { return nil }
        return AttemptsLeft(remaining: check.maxAttempts, max: check.maxAttempts)
    }

    private func finish(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        let isNew = state.path == .signUp
        if isNew, signUp == .closed { return fail(&state, .denied, now: now) }
        if isNew, state.draft?.passwordHash != nil { prove(&state, .password, now: now) }
        guard let user = isNew ? derivedUser(state) : state.person?.user else {
            return fail(&state, .internal, now: now)
        }
        let isRemembered = policy.session.scope != .none
        let session = isRemembered ? state.requirement.session ?? derived(state, "session") : nil
        let finish = FinishPlan(
            user: user,
            draft: isNew ? state.draft : nil,
            authentication: Authentication(
                user: user,
                proofs: state.sessionProofs + state.proofs,
                consented: state.consented,
                isNewUser: isNew
            ),
            session: session
        )
        state.finished = Finished(
            user: user,
            username: isNew ? state.draft?.name ?? "" : state.person?.username ?? "",
            displayName: isNew ? state.draft?.attributes["displayName"]?.string : state.person?.displayName,
            pendingRequest: state.pendingRequest,
            session: session,
            policy: state.policy
        )
        record(&state, .accepted)
        end(&state, .succeeded, now: now)
        return [
            .finish(finish), .audit(isNew ? "account.created" : "signin.succeeded", [:]),
            .audit("flow.succeeded", ["acr": finish.authentication.acr]), .answer(.accepted),
        ]
    }

    /// Notes that a credential was proved, once for each check over it that this flow must prove.
    func prove(_ state: inout FlowRunState, _ credential: Credential, by name: String? = nil, now: Moment) {
        var checks = plannedChecks(state).filter { Credential($0.type) == credential }
        if checks.isEmpty { checks = name.flatMap { catalogue[check: $0] }.map { [$0] } ?? [] }
        state.proofs += checks.map {
            Proof(check: $0.name, credential: credential.rawValue, at: now.wall, acr: $0.acr, amr: $0.amr)
        }
        if checks.isEmpty {
            let amr = credential == .email ? "otp" : "pwd"
            let proof = Proof(check: amr, credential: credential.rawValue, at: now.wall, acr: "1", amr: [amr])
            state.proofs.append(proof)
        }
    }
}
