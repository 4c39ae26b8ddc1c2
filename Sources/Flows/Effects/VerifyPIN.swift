import Attempts
import AuthorityStore
import Credentials
import FlowModel
import OAuth
import Policies

/// Charges an attempt, then compares a PIN with the one that the person has at the flow's owner.
///
/// The wrong answer that uses up the budget takes the PIN away: whoever guesses gets no second round, and the person
/// sets another after proving who they are.
struct VerifyPIN {
    let effects: Effects

    func run(
        _ pin: Secret,
        of person: UserID,
        _ check: Check,
        _ state: FlowRunState,
        _ caller: Caller
    ) async throws -> Evaluated {
        let (subject, origin) = (Subject.user(person), state.origin)
        let place = try effects.place(for: origin)
        let ticket = try await effects.charge(check, subject, origin: origin)
        let enrolments = effects.store.enrolments
        guard let stored = try await enrolments.find(check.credential, of: person, at: state.owner) else {
            // It was removed meanwhile.
            return Evaluated(finding: .enrolled(false))
        }
        let result = try await effects.hasher.verify(
            pin,
            against: stored.secret,
            pepper: effects.store.derived.pepper,
            in: place
        )
        if result.matches { return Evaluated(finding: .right(nil), settled: ticket.settled) }
        if ticket.isLast {
            let facts = ["credential": check.credential.rawValue, "reason": "blocked"]
            let events = state.events([(.credentialRemoved, facts)], caller, user: person)
            try await enrolments.remove(check.credential, of: person, at: state.owner, events: events)
        }
        return Evaluated(finding: try await effects.wrong(check, subject, origin: origin))
    }
}

/// Looks up if a person has a PIN at the flow's owner.
struct FindPIN {
    let effects: Effects

    /// The finding, unless the budget is used up: nobody is asked for a PIN then, nor for a new one.
    func run(_ person: UserID, _ check: Check, _ state: FlowRunState) async throws -> Evaluated {
        try await effects.requireAttempts(check, .user(person), origin: state.origin)
        let found = try await effects.store.enrolments.find(check.credential, of: person, at: state.owner)
        return Evaluated(finding: .enrolled(found != nil))
    }
}
