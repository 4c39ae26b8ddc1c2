import FlowModel
import Moments
import StoreRefusals
import TokenCache

extension ExternalTokenSource {
    /// False if a renewal would be in vain: the sign-in is too long ago, or nobody has said when it was, and a renewal does
    /// not change that (OpenID Connect Core §12.2).
    ///
    /// One whose answer is not kept yet may have said it.
    func isWorthRenewing(_ account: AccountRow) async throws -> Bool {
        guard wanted.demand.age != nil else { return true }
        guard broker.kept.unkept[wanted.family(account.uid, account)] == nil else { return true }
        let rows = try await Broker.rows.storing {
            try broker.cache.tokens.list(uid: account.uid, account: account.account)
        }
        let times = rows.filter { $0.client == wanted.client && $0.policy == wanted.policy }.map(\.authTime)
        let now = broker.clock.now
        return times.isEmpty || times.contains { wanted.demand.isRecent($0, at: now) }
    }
}
