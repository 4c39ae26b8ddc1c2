import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Foundation
import OAuth
import Policies

/// Charges an attempt, then compares a password with the stored one.
///
/// A name that nobody has and a user who is disabled cost what a wrong password costs: one charge, one hash.
struct VerifyPassword {
    let effects: Effects

    func run(_ name: String, _ password: Secret, _ check: Check, origin: Owner) async throws -> Evaluated {
        let user = try await effects.store.users.find(signInName: name)
        let subject: Subject = user.map { .user($0.id) } ?? .name(name)
        let ticket = try await effects.charge(check, subject, origin: origin)
        do {
            let result = try await verify(password, user)
            guard let user, user.enabled, result.matches else { return Evaluated(outcome: ticket.wrong) }
            var person = ProvenPerson(user)
            if result.needsRehash { person.rehash = try await rehash(password) }
            return Evaluated(
                outcome: .password(person, names: user.signInNames.map(\.value)),
                settled: ticket.settled
            )
        } catch let error as CredentialError where error.code == .busy {
            return Evaluated(outcome: .refused(Refusals.busy), settled: ticket.settled)
        }
    }

    private func verify(_ password: Secret, _ user: UserRecord?) async throws -> PasswordHasher.Verification {
        let pepper = effects.store.derived.pepper
        guard let hash = user?.passwordHash else {
            return try await effects.hasher.verifyNothing(password, pepper: pepper)
        }
        return try await effects.hasher.verify(password, against: hash, pepper: pepper)
    }

    /// A hash of today's costs; without one the old hash stays for now.
    private func rehash(_ password: Secret) async throws -> Data? {
        try? await effects.hasher.hash(password, pepper: effects.store.derived.pepper).revealBytes()
    }
}
