import FlowModel
import Moments
import StoreRefusals
import TokenCache

extension TheirTokens {
    /// False if a renewal would be in vain: the sign-in is too long ago, and a renewal says again when it was
    /// (OpenID Connect Core §12.2).
    ///
    /// An authority that has not said when it was may say so with the renewal, and so may one whose answer is not kept yet.
    func isWorthRenewing(_ account: AccountRow) async throws -> Bool {
        guard wanted.demand.age != nil else { return true }
        guard broker.kept.unkept[wanted.family(account.uid, account)] == nil else { return true }
        let rows = try await Broker.rows.storing {
            try broker.cache.tokens.list(uid: account.uid, account: account.account)
        }
        let times = rows.filter { $0.client == wanted.client && $0.policy == wanted.policy }.map(\.authTime)
        let now = broker.clock.now
        return times.isEmpty || times.contains { $0 == 0 || wanted.demand.isRecent($0, at: now) }
    }
}
