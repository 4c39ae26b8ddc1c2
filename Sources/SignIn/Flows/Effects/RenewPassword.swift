import Attempts
import AuthorityStore
import Credentials
import FlowModel
import OAuth
import Policies

/// Hashes the new password of a known person; the old one is refused.
struct RenewPassword {
    let effects: Effects

    func run(_ password: Secret, of user: UserID, origin: Origin) async throws -> EvaluationOutcome {
        let pepper = effects.store.derived.pepper
        if let old = try await effects.store.users.get(user)?.passwordHash {
            let place = try effects.place(for: origin)
            try await effects.attempts.chargeHash(origin: origin)
            let result = try await effects.hasher.verify(password, against: old, pepper: pepper, in: place)
            guard !result.matches else { throw Refusals.samePassword }
        }
        return try await HashPassword(effects: effects).run(password, mailTo: nil, origin: origin)
    }
}
