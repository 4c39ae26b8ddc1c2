import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Moments
import OAuth
import Policies

/// Charges an attempt, then compares a code with the person's authenticator, or uses up a recovery code.
struct VerifyAuthenticator {
    let effects: Effects

    func run(
        _ answer: AuthenticatorAnswer,
        of person: UserID,
        _ check: Check,
        _ state: FlowRunState
    ) async throws -> EvaluationOutcome {
        let (subject, origin) = (Subject.user(person), state.origin)
        let ticket = try await effects.charge(check, subject, origin: origin)
        let authenticators = effects.store.authenticators
        guard let stored = try await authenticators.find(person) else {
            // It was removed meanwhile.
            return EvaluationOutcome(finding: .enrolled(false))
        }
        let isRight: Bool
        switch answer {
        case .code(let code):
            if let step = AuthenticatorKey(stored.key).step(of: code, at: effects.clock.now.wall) {
                isRight = try await authenticators.take(step: step, of: stored)
            } else {
                isRight = false
            }
        case .recovery(let code): isRight = try await authenticators.use(recoveryCode: code.folded, of: person)
        }
        if isRight { return EvaluationOutcome(finding: .right(nil), settled: ticket.settled) }
        return EvaluationOutcome(finding: try await effects.wrong(check, subject, origin: origin))
    }
}

/// Looks up if a person has an authenticator.
struct FindAuthenticator {
    let effects: Effects

    /// The finding, unless the budget is used up: nobody is asked for a code then, nor to add an app.
    func run(_ person: UserID, _ check: Check, _ state: FlowRunState) async throws -> EvaluationOutcome {
        try await effects.requireAttempts(check, .user(person), origin: state.origin)
        return EvaluationOutcome(finding: .enrolled(try await effects.store.authenticators.find(person) != nil))
    }
}
