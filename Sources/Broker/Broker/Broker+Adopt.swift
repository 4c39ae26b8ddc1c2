import Authority
import FlowModel
import StoreRefusals
import TokenCache

extension Broker {
    /// Makes accounts for people who have a live session and no account in the cache.
    ///
    /// A crash lay between the stores, or another daemon of the authority made the session.
    ///
    /// - Parameters:
    ///   - caller: The caller, whose sessions are read.
    ///   - known: The existing accounts.
    /// - Returns: All accounts; nil if none was missing, or a sign-out is still to be done.
    /// - Throws: The error that kept the stores from answering.
    func adopt(_ caller: Caller, known: [AccountRow]) async throws -> [AccountRow]? {
        let uid = try caller.owner.cacheUID
        let signOuts = try await Self.rows.storing { try cache.signOuts.generation(uid: uid) }
        guard try await Self.rows.storing({ try cache.signOuts.pending(uid: uid) }).isEmpty else { return nil }
        let subjects = Set(known.map(\.subject))
        let missing = try await authority.signedIn(caller.owner).filter { !subjects.contains($0.user.id.oid) }
        guard !missing.isEmpty else { return nil }
        for person in missing {
            _ = try await kept.keep(person.user, policy: person.policy, uid: uid, signOuts: signOuts)
        }
        return try await Self.rows.storing { try cache.accounts.list(uid: uid) }
    }
}
