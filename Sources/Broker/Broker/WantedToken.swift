import FlowModel
import Moments
import TokenCache

/// The token that a request needs from any authority, and the rules for finding it in the cache (contract §4).
struct WantedToken: Hashable, Sendable {
    let client: String
    let authority: String
    let policy: String
    let resource: String
    /// The scopes that the token must contain, possibly among others.
    let scopes: [String]
    let demand: AuthenticationDemand

    func family(_ uid: UInt32, _ account: AccountRow) -> FamilyKey {
        FamilyKey(uid: uid, account: account.account, client: client, policy: policy)
    }

    func query(_ uid: UInt32, _ account: String) -> TokenQuery {
        TokenQuery(
            uid: uid,
            account: account,
            client: client,
            authority: authority,
            policy: policy,
            resource: resource,
            scopes: scopes
        )
    }

    func isMet(by row: TokenRow, at now: Moment) -> Bool {
        guard !row.expires.hasEnded(at: now) else { return false }
        guard demand.isReached(by: [row.acr]), demand.isRecent(row.authTime, at: now) else { return false }
        return row.resource == resource && Set(scopes).isSubset(of: row.scopes)
    }

    /// Returns the first token in `rows` that stays valid for at least `validity` milliseconds.
    ///
    /// If there is none, the result is the first token that was issued within the last minute, or else `nil`. The
    /// caller must sort `rows` by expiry, latest first.
    func best(of rows: [TokenRow], validity: Int64, at now: Moment) -> TokenRow? {
        if let row = rows.first(where: { $0.expires.left(at: now) >= validity }) { return row }
        return rows.first { row in
            guard let issued = row.issuedAt else { return false }
            return abs(now.wall - issued) < Broker.renewalPauseMs
        }
    }
}
