import FlowModel
import Logging
import Moments
import OAuth
import OpenIDClient
import TokenCache

/// The tokens and sessions that a sign-out ends at external authorities, read before the cache is emptied.
struct OutsideSignOut: Sendable {
    private struct Part: Sendable {
        enum Kind {
            case refreshToken(Secret)
            /// An access token that was issued without a refresh token.
            case accessToken(Secret)
            /// A session, identified by its ID token.
            case session(Secret)
        }

        let kind: Kind
        let authority: OutsideAuthority
        let account: String

        var description: String {
            switch kind {
            case .refreshToken: "refresh token of \(account)"
            case .accessToken: "access token of \(account)"
            case .session: "session of \(account)"
            }
        }
    }

    private var parts: [Part] = []
    /// The tokens that this sign-out removed from memory.
    private var taken: [FamilyKey: UnsavedTokens.Held] = [:]
    /// Descriptions of tokens that cannot be revoked, for example because their authority is no longer configured.
    private var unknown: [String] = []

    /// Reads the tokens and sessions of the accounts to sign out, but only from memory if the cache is locked.
    init(_ desk: SignOutDesk, uid: UInt32, _ extent: SignOutExtent, _ caller: Caller) {
        taken = desk.store.unkept.take(uid: uid, extent.covers)
        for held in taken.values { add(held.unit, caller, desk) }
        for account in (try? desk.cache.accounts.list(uid: uid)) ?? [] {
            guard extent.covers(account.account) else { continue }
            guard account.authority != Broker.localAuthority else {
                addExchanged(account, caller, desk)
                continue
            }
            let name = "\(account.username) at \(account.authority)"
            let authorities = desk.external.revoking(
                account.authority,
                subject: account.subject,
                policies: account.byLastUse,
                uid: uid
            )
            if authorities.isEmpty { unknown.append("\(account.isService ? "access" : "refresh") token of \(name)") }
            for authority in authorities {
                let called = authority.called(by: caller)
                if account.isService {
                    let tokens = Self.tokens(account, desk).filter { $0.policy == called.policy }
                    addAccessTokens(tokens, called, name, desk)
                } else {
                    add(account, called, name, desk)
                }
            }
        }
    }

    func undo(_ store: IssuedTokenStore) { store.unkept.holdAgain(taken) }

    /// Adds the tokens that renewals have put into memory since the accounts were read, and removes them from memory.
    mutating func takeRest(_ desk: SignOutDesk, uid: UInt32, _ extent: SignOutExtent, _ caller: Caller) {
        guard let generation = try? desk.cache.signOuts.generation(uid: uid) else { return }
        let rest = desk.store.unkept.take(uid: uid, before: generation, extent.covers)
        for held in rest.values { add(held.unit, caller, desk) }
    }

    /// Adds the refresh token of a token family that is only in memory.
    private mutating func add(_ unit: StoreUnit, _ caller: Caller, _ desk: SignOutDesk) {
        let account = unit.account
        guard let row = unit.refreshToken,
            let authority = desk.external.revoking(
                account.authority,
                subject: account.subject,
                policies: [row.policy],
                uid: account.uid
            ).first
        else { return }
        let name = "\(account.username) at \(account.authority)"
        parts.append(Part(kind: .refreshToken(row.token), authority: authority.called(by: caller), account: name))
    }

    private mutating func add(_ account: AccountRow, _ authority: OutsideAuthority, _ name: String, _ desk: SignOutDesk)
    {
        let row = try? desk.cache.refreshTokens.get(
            uid: account.uid,
            account: account.account,
            client: authority.registration.clientID,
            policy: authority.policy
        )
        let tokens = Self.tokens(account, desk).filter { $0.policy == authority.policy }
        if let row {
            parts.append(Part(kind: .refreshToken(row.token), authority: authority, account: name))
        } else {
            addAccessTokens(tokens, authority, name, desk)
        }
        let newest = tokens.filter { $0.idToken != nil }.max { ($0.receivedAt ?? 0) < ($1.receivedAt ?? 0) }
        if let idToken = newest?.idToken {
            parts.append(Part(kind: .session(idToken), authority: authority, account: name))
        }
    }

    /// Adds the tokens that external authorities have issued in exchange for a local account's tokens (RFC 8693).
    private mutating func addExchanged(_ account: AccountRow, _ caller: Caller, _ desk: SignOutDesk) {
        let theirs = Self.tokens(account, desk).filter { $0.authority != Broker.localAuthority }
        for (place, tokens) in Dictionary(grouping: theirs, by: \.authority).sorted(by: { $0.key < $1.key }) {
            let name = "\(account.username) at \(place)"
            guard let authority = desk.accounts.settings().authorities[place],
                tokens.allSatisfy({ $0.client == authority.registration.clientID })
            else {
                unknown.append("access tokens of \(name)")
                continue
            }
            addAccessTokens(tokens, authority.called(by: caller), name, desk)
        }
    }

    /// Adds those access tokens in `rows` that are still valid, none of which has a refresh token.
    private mutating func addAccessTokens(
        _ rows: [TokenRow],
        _ authority: OutsideAuthority,
        _ name: String,
        _ desk: SignOutDesk
    ) {
        let now = desk.accounts.clock.now
        let good = rows.filter { !$0.expires.hasEnded(at: now) }.sorted { $0.expiresAt > $1.expiresAt }
        for row in good.prefix(Self.mostAccessTokens) {
            parts.append(Part(kind: .accessToken(row.accessToken), authority: authority, account: name))
        }
        // Report the remaining tokens, which expire earlier, as not revoked.
        if good.count > Self.mostAccessTokens { unknown.append("access tokens of \(name)") }
    }

    private static func tokens(_ account: AccountRow, _ desk: SignOutDesk) -> [TokenRow] {
        (try? desk.cache.tokens.list(uid: account.uid, account: account.account)) ?? []
    }

    /// The maximum number of access tokens that are revoked for an account at one authority, latest expiry first.
    private static let mostAccessTokens = 32

    /// The maximum number of concurrent requests to authorities during a sign-out.
    private static let mostAtOnce = 8

    /// Revokes the tokens and ends the sessions, several at a time, each with its own deadline.
    ///
    /// - Returns: Descriptions of the tokens that could not be revoked and the sessions that could not be ended.
    func finish(_ external: ExternalAuthorities) async -> [String] {
        await withTaskGroup(of: String?.self) { tasks in
            var left: [String] = []
            for (number, part) in parts.enumerated() {
                if number >= Self.mostAtOnce, let name = await tasks.next() { left += name.map { [$0] } ?? [] }
                tasks.addTask {
                    let isEnded =
                        switch part.kind {
                        case .refreshToken(let token): await external.revoke(token, at: part.authority)
                        case .accessToken(let token):
                            await external.revoke(token, as: .accessToken, at: part.authority)
                        case .session(let idToken): await external.endSession(idToken, at: part.authority)
                        }
                    return isEnded ? nil : part.description
                }
            }
            for await name in tasks { left += name.map { [$0] } ?? [] }
            return left.sorted() + unknown
        }
    }
}

extension SignOutExtent {
    fileprivate func covers(_ account: String) -> Bool {
        switch self {
        case .all: true
        case .accounts(let ids): ids.contains(account)
        }
    }
}
