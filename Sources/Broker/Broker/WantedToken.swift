import FlowModel
import Moments
import TokenCache

/// The token that a request needs, whether local or external, and the rule for finding it in the cache (contract §4).
struct WantedToken: Hashable, Sendable {
    /// The `client_id` of the client that the token is issued to.
    let client: String
    /// The name of the authority that issues the token.
    let authority: String
    /// The policy under which the token is issued.
    let policy: String
    /// The API that the token is for.
    let resource: String
    /// The scopes that the token must contain.
    ///
    /// The token can contain additional scopes.
    let scopes: [String]
    /// The authentication that the request requires.
    let demand: AuthenticationDemand

    /// Returns the key of the token's refresh-token family.
    func family(_ uid: UInt32, _ account: AccountRow) -> FamilyKey {
        FamilyKey(uid: uid, account: account.account, client: client, policy: policy)
    }

    /// Returns a query for cached rows that could match.
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

    /// Whether a token is unexpired and satisfies the request.
    func isMet(by row: TokenRow, at now: Moment) -> Bool {
        guard !row.expires.hasEnded(at: now) else { return false }
        guard demand.isReached(by: [row.acr]), demand.isRecent(row.authTime, at: now) else { return false }
        return row.resource == resource && Set(scopes).isSubset(of: row.scopes)
    }

    /// Returns a token that is valid for long enough, or the newest one if it was issued within the last minute.
    ///
    /// - Parameters:
    ///   - rows: Tokens that satisfy the request, sorted by expiry, latest first.
    ///   - validity: The minimum remaining validity in milliseconds.
    ///   - now: The current time.
    /// - Returns: The token, or `nil` if it must be renewed.
    func best(of rows: [TokenRow], validity: Int64, at now: Moment) -> TokenRow? {
        if let row = rows.first(where: { $0.expires.left(at: now) >= validity }) { return row }
        // No token is valid for that long. The newest is used if it was issued within the last minute.
        return rows.first { row in
            guard let issued = row.issuedAt else { return false }
            return abs(now.wall - issued) < Broker.renewalPauseMs
        }
    }
}
