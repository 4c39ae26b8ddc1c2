import FlowModel
import Moments
import TokenCache

/// The rule of the cache: the token that a request asks for, ours or an outside authority's (contract §4).
struct WantedToken: Hashable, Sendable {
    /// The client it is issued to.
    let client: String
    /// The authority that issues it.
    let authority: String
    /// The policy it is issued by.
    let policy: String
    /// The API it is for.
    let resource: String
    /// The scopes that it must have; it may have more.
    let scopes: [String]
    /// The authentication that it must stand for.
    let demand: AuthenticationDemand

    /// The key of its refresh-token family.
    func family(_ uid: UInt32, _ account: AccountRow) -> FamilyKey {
        FamilyKey(uid: uid, account: account.account, client: client, policy: policy)
    }

    /// The rows of the cache that may be it.
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

    /// True for a token that has not ended and is what is asked for.
    func isMet(by row: TokenRow, at now: Moment) -> Bool {
        guard !row.expires.hasEnded(at: now) else { return false }
        guard demand.isReached(by: [row.acr]), demand.isRecent(row.authTime, at: now) else { return false }
        return row.resource == resource && Set(scopes).isSubset(of: row.scopes)
    }

    /// The token to give out: one that lives long enough, or the newest if no token lives that long.
    ///
    /// - Parameters:
    ///   - rows: Tokens that meet it, the one that ends last first.
    ///   - validity: The least remaining life in milliseconds.
    ///   - now: The time.
    /// - Returns: Nil if one is to be renewed.
    func best(of rows: [TokenRow], validity: Int64, at now: Moment) -> TokenRow? {
        if let row = rows.first(where: { $0.expires.left(at: now) >= validity }) { return row }
        // No token lives that long: the newest will do, if it was issued within the last minute.
        return rows.first { row in
            guard let issued = row.issuedAt else { return false }
            return abs(now.wall - issued) < Broker.renewalPauseMs
        }
    }
}
