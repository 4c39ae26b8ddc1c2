import AuthorityStore
import Credentials
import FlowModel
import OAuth

/// A stored hash that was not made with the costs of today, and the password that it was found to be of.
struct StaleHash: Sendable {
    let user: UserID
    let hash: Secret
    let password: Secret
    let origin: Owner

    init(_ user: UserID, _ hash: Secret, of password: Secret, _ origin: Owner) {
        self.user = user
        self.hash = hash
        self.password = password
        self.origin = origin
    }
}

extension Effects {
    /// Makes a stale hash anew, after the answer it belongs to is on the disk and without anybody waiting for it, so
    /// that every answer costs one hash.
    ///
    /// Where there is no place, or the store fails, nothing is done; the next right answer brings it again.
    func renew(_ stale: StaleHash) {
        guard let place = try? place(for: stale.origin) else { return }
        Task(priority: .background) {
            let hash = try await hasher.hash(stale.password, pepper: store.derived.pepper, in: place)
            try await store.users.rehash(stale.user, from: stale.hash, to: hash)
        }
    }
}
