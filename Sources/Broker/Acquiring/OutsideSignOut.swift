import FlowModel
import Logging
import OAuth
import OpenIDClient
import TokenCache

/// The parts of a sign-out that outside authorities have to end, read before the cache is emptied.
struct OutsideSignOut: Sendable {
    private struct Part: Sendable {
        enum Kind {
            case refreshToken(Secret)
            /// A session, which its ID token names.
            case session(Secret)
        }

        let kind: Kind
        let authority: OutsideAuthority
        /// The account in words.
        let account: String

        var description: String {
            switch kind {
            case .refreshToken: "refresh token of \(account)"
            case .session: "session of \(account)"
            }
        }
    }

    private var parts: [Part] = []
    /// Accounts whose authority is not configured any more, in words.
    private var unknown: [String] = []

    /// Reads what the accounts have that a sign-out covers; a locked cache has nothing to show.
    init(_ broker: Broker, uid: UInt32, _ extent: SignOutExtent) {
        for unit in broker.kept.unkept.take(uid: uid, extent.covers) {
            let (account, row) = (unit.account, unit.refreshToken)
            guard let row, let authority = broker.revoking(account.authority, subject: account.subject, uid: uid)
            else { continue }
            let name = "\(account.username) at \(account.authority)"
            parts.append(Part(kind: .refreshToken(row.token), authority: authority, account: name))
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
            if let row { parts.append(Part(kind: .refreshToken(row.token), authority: authority, account: name)) }
            let tokens = (try? broker.cache.tokens.list(uid: uid, account: account.account)) ?? []
            let newest = tokens.filter { $0.idToken != nil }.max { ($0.receivedAt ?? 0) < ($1.receivedAt ?? 0) }
            if let idToken = newest?.idToken {
                parts.append(Part(kind: .session(idToken), authority: authority, account: name))
            }
        }
    }

    /// Ends them all at once, each within the time of one call.
    ///
    /// - Returns: Those that could not be ended, in words.
    func finish(_ broker: Broker) async -> [String] {
        await withTaskGroup(of: String?.self) { tasks in
            for part in parts {
                tasks.addTask {
                    let isEnded =
                        switch part.kind {
                        case .refreshToken(let token): await broker.revoke(token, at: part.authority)
                        case .session(let idToken): await broker.endSession(idToken, at: part.authority)
                        }
                    return isEnded ? nil : part.description
                }
            }
            var left: [String] = []
            for await name in tasks { left += name.map { [$0] } ?? [] }
            return left.sorted() + unknown.map { "refresh token of \($0)" }
        }
    }
}

extension Broker {
    /// Tells an outside authority that a person has signed out.
    ///
    /// - Returns: False if it has a place for that, and was not reached or did not take it.
    fileprivate func endSession(_ idToken: Secret, at authority: OutsideAuthority) async -> Bool {
        do throws(ProviderError) {
            try await openID.endSession(at: authority.registration, idToken)
            return true
        } catch {
            logger.warning("a session outside was not ended", metadata: ["error": "\(error)"])
            return false
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
