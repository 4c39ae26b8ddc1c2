import Attempts
import AuthorityStore
import Credentials
import FlowModel
import OAuth
import Policies

/// Charges an attempt, then compares a PIN with the one that the person has at the flow's owner.
///
/// The wrong answer that uses up the budget takes the PIN away: whoever guesses gets no second round, and the person
/// sets another after proving who they are. The charge of that answer withholds the PIN already, in one commit, so that
/// it is gone even if the program ends before the answer was looked at; only a right answer gives it back.
struct VerifyPIN {
    let effects: Effects

    func run(
        _ pin: Secret,
        of person: UserID,
        _ check: Check,
        _ state: FlowRunState,
        _ caller: Caller
    ) async throws -> EvaluationOutcome {
        let (subject, origin) = (Subject.user(person), state.origin)
        let place = try effects.place(for: origin)
        let enrolments = effects.store.enrolments
        let stored = try await enrolments.find(check.credential, of: person, at: state.owner)
        let name = EnrolmentName(check.credential, of: person, at: state.owner)
        let ticket = try await effects.charge(check, subject, origin: origin, withholding: name)
        guard let stored else {
            // It was removed meanwhile.
            try await effects.removeWithheld(check, of: person, state, caller)
            return EvaluationOutcome(finding: .enrolled(false))
        }
        let result = try await effects.hasher.verify(
            pin,
            against: stored.secret,
            pepper: effects.store.derived.pepper,
            in: place
        )
        if result.matches {
            if ticket.isLast { try await enrolments.giveBack(name) }
            return EvaluationOutcome(finding: .right(nil), settled: ticket.settled)
        }
        let finding = try await effects.wrong(check, subject, origin: origin)
        guard ticket.isLast else { return EvaluationOutcome(finding: finding) }
        // Nothing is taken away where a check blocks nobody, or where a right answer has ended the block meanwhile.
        if case .exhausted = finding {
            try await effects.remove(check, of: person, state, caller)
        } else {
            try await enrolments.giveBack(name)
        }
        return EvaluationOutcome(finding: finding)
    }
}

/// Looks up if a person has a PIN at the flow's owner.
struct FindPIN {
    let effects: Effects

    /// The finding, unless the budget is used up: nobody is asked for a PIN then, nor for a new one.
    func run(
        _ person: UserID,
        _ check: Check,
        _ state: FlowRunState,
        _ caller: Caller
    ) async throws -> EvaluationOutcome {
        try await effects.requireAttempts(check, .user(person), origin: state.origin)
        try await effects.removeWithheld(check, of: person, state, caller)
        let found = try await effects.store.enrolments.find(check.credential, of: person, at: state.owner)
        return EvaluationOutcome(finding: .enrolled(found != nil))
    }
}

extension Effects {
    /// Takes away what is still withheld after its block: nobody came to remove it.
    fileprivate func removeWithheld(
        _ check: Check,
        of person: UserID,
        _ state: FlowRunState,
        _ caller: Caller
    ) async throws {
        guard try await store.enrolments.findWithheld(check.credential, of: person, at: state.owner) != nil else {
            return
        }
        try await remove(check, of: person, state, caller)
    }

    /// Takes away what a person has enrolled at the flow's owner, since its block was reached.
    fileprivate func remove(_ check: Check, of person: UserID, _ state: FlowRunState, _ caller: Caller) async throws {
        let facts = ["credential": check.credential.rawValue, "reason": "blocked"]
        let events = state.events([(.credentialRemoved, facts)], caller, user: person)
        try await store.enrolments.remove(check.credential, of: person, at: state.owner, events: events)
    }
}
