import AuthorityStore
import Credentials
import FlowModel
import OAuth

/// A stored hash with outdated costs, and the password that matched it.
struct StaleHash: Sendable {
    let user: UserID
    let hash: Secret
    let password: Secret
    let origin: Origin

    init(_ user: UserID, _ hash: Secret, of password: Secret, _ origin: Origin) {
        self.user = user
        self.hash = hash
        self.password = password
        self.origin = origin
    }
}

extension Effects {
    /// Renews a stale hash after its answer is on the disk, without any caller waiting, so that every answer costs one
    /// hash.
    ///
    /// Nothing is done if there is no place, or the store fails; the next correct answer tries again.
    func renew(_ stale: StaleHash) {
        guard let place = try? place(for: stale.origin) else { return }
        Task(priority: .background) {
            let hash = try await hasher.hash(stale.password, pepper: store.derived.pepper, in: place)
            try await store.users.rehash(stale.user, from: stale.hash, to: hash)
        }
    }
}
