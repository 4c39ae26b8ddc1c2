import Attempts
import AuthorityStore
import Credentials
import FlowModel
import OAuth
import Origins
import Policies

/// Hashes a new password.
struct HashPassword {
    let effects: Effects

    func run(_ password: Secret, mailTo address: String?, origin: Origin) async throws -> EvaluationOutcome {
        if let address {
            try await effects.attempts.requireMail(
                to: address,
                for: .name(address),
                provenBy: CheckType.all.map(\.credential),
                origin: origin
            )
        }
        let place = try effects.place(for: origin)
        try await effects.attempts.chargeHash(origin: origin)
        let hash = try await effects.hasher.hash(password, pepper: effects.store.derived.pepper, in: place)
        return EvaluationOutcome(finding: .hashed(hash.revealBytes()))
    }
}

extension Effects {
    /// Reserves a place for a hash; throws a refusal, with nothing charged, if there is none.
    func place(for origin: Origin) throws(Refusal) -> HashPlace {
        do throws(CredentialError) {
            return try hasher.reserve(for: origin.levels.widest)
        } catch {
            throw Refusals.busy
        }
    }
}
