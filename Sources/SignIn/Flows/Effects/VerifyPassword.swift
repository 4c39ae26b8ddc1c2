import Attempts
import AuthorityStore
import Credentials
import FlowModel
import OAuth
import Policies

/// Reserves a place for a hash, charges an attempt, then compares a password with the stored one.
///
/// Without a place nothing is charged: an answer that was not looked at never gets its charge back. An unknown name and a
/// disabled user cost as much as a wrong password: one charge, one hash. The wrong password that was the last one, too, is
/// not counted again. Where the daily limit over all names of the user is reached, a right password is a wrong one.
struct VerifyPassword {
    let effects: Effects

    func run(_ name: String, _ password: Secret, _ check: Check, origin: Origin) async throws -> EvaluationOutcome {
        let user = try await effects.store.users.find(signInName: name)
        let subject = Subject(typed: name, of: user?.id)
        let place = try effects.place(for: origin)
        let ticket = try await effects.charge(check, subject, origin: origin)
        let result = try await verify(password, ticket.isVoid ? nil : user, in: place)
        guard let user, user.enabled, result.matches else {
            try await effects.attempts.note(
                wrong: password,
                ticket,
                check: CheckBudget(check),
                subject: subject,
                origin: origin
            )
            return EvaluationOutcome(finding: try await effects.wrong(check, subject, origin: origin))
        }
        return EvaluationOutcome(
            finding: .right(ProvenPerson(user), names: user.signInNames.map(\.value)),
            settled: ticket.settled,
            stale: result.needsRehash ? user.passwordHash.map { StaleHash(user.id, $0, of: password, origin) } : nil
        )
    }

    private func verify(
        _ password: Secret,
        _ user: UserRecord?,
        in place: HashPlace
    ) async throws -> PasswordHasher.Verification {
        let pepper = effects.store.derived.pepper
        guard let hash = user?.passwordHash else {
            return try await effects.hasher.verifyNothing(password, pepper: pepper, in: place)
        }
        return try await effects.hasher.verify(password, against: hash, pepper: pepper, in: place)
    }
}
