import AuthorityStore
import Credentials
import FlowModel
import OAuth

/// Hashes a new password.
struct HashPassword {
    let effects: Effects

    func run(_ password: Secret) async throws -> Evaluated {
        do {
            let hash = try await effects.hasher.hash(password, pepper: effects.store.derived.pepper)
            return Evaluated(outcome: .hashed(hash.revealBytes()))
        } catch let error as CredentialError where error.code == .busy {
            return Evaluated(outcome: .refused(Refusals.busy))
        }
    }
}
