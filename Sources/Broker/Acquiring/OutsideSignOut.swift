import FlowModel
import OAuth
import OpenIDClient
import TokenCache

/// The refresh tokens of outside authorities that a sign-out has to revoke, read before the cache is emptied.
struct OutsideSignOut: Sendable {
    private struct Token: Sendable {
        let token: Secret
        let authority: OutsideAuthority
        let username: String
    }

    private var tokens: [Token] = []
    /// Accounts whose authority is not configured any more, in words.
    private var unknown: [String] = []

    /// Reads the refresh tokens of the accounts that a sign-out covers; a locked cache has none to show.
    init(_ broker: Broker, uid: UInt32, _ extent: SignOutExtent) {
        for unit in broker.kept.unkept.take(uid: uid, extent.covers) {
            let (account, row) = (unit.account, unit.refreshToken)
            guard let row, let authority = broker.revoking(account.authority, subject: account.subject, uid: uid)
            else { continue }
            let name = "\(account.username) at \(account.authority)"
            tokens.append(Token(token: row.token, authority: authority, username: name))
        }
        for account in (try? broker.cache.accounts.list(uid: uid)) ?? [] {
            guard account.authority != Broker.localAuthority, extent.covers(account.account) else { continue }
            let name = "\(account.username) at \(account.authority)"
            guard let authority = broker.revoking(account.authority, subject: account.subject, uid: uid) else {
                unknown.append(name)
                continue
            }
            let row = try? broker.cache.refreshTokens.get(
                uid: uid,
                account: account.account,
                client: authority.registration.clientID,
                policy: authority.name
            )
            if let row { tokens.append(Token(token: row.token, authority: authority, username: name)) }
        }
    }

    /// Revokes them all at once, each within the time of one call.
    ///
    /// - Returns: Those that could not be revoked, in words.
    func finish(_ broker: Broker) async -> [String] {
        await withTaskGroup(of: String?.self) { tasks in
            for token in tokens {
                tasks.addTask {
                    await broker.revoke(token.token, at: token.authority)
                        ? nil : "refresh token of \(token.username)"
                }
            }
            var left: [String] = []
            for await name in tasks { left += name.map { [$0] } ?? [] }
            return left.sorted() + unknown.map { "refresh token of \($0)" }
        }
    }
}

extension SignOutExtent {
    /// True if an account is signed out.
    fileprivate func covers(_ account: String) -> Bool {
        switch self {
        case .all: true
        case .accounts(let ids): ids.contains(account)
        }
    }
}
