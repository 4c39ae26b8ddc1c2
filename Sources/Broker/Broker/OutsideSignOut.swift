import FlowModel
import Logging
import Moments
import OAuth
import OpenIDClient
import TokenCache

/// The parts of a sign-out that outside authorities have to end, read before the cache is emptied.
struct OutsideSignOut: Sendable {
    private struct Part: Sendable {
        enum Kind {
            case refreshToken(Secret)
            /// An access token that no refresh token stands behind.
            case accessToken(Secret)
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
            case .accessToken: "access token of \(account)"
            case .session: "session of \(account)"
            }
        }
    }

    private var parts: [Part] = []
    /// The tokens that the cache lacks, which are held no longer.
    private var taken: [FamilyKey: UnsavedTokens.Held] = [:]
    /// Tokens, in words, of accounts whose authority is not configured any more.
    private var unknown: [String] = []

    /// Reads what the accounts have that a sign-out covers; a locked cache has nothing to show.
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

    /// Holds again what was held, since nobody is signed out.
    func undo(_ store: IssuedTokenStore) { store.unkept.holdAgain(taken) }

    /// Takes what has been held since the accounts were read, by renewals that the sign-out has overtaken.
    mutating func takeRest(_ desk: SignOutDesk, uid: UInt32, _ extent: SignOutExtent, _ caller: Caller) {
        guard let generation = try? desk.cache.signOuts.generation(uid: uid) else { return }
        let rest = desk.store.unkept.take(uid: uid, before: generation, extent.covers)
        for held in rest.values { add(held.unit, caller, desk) }
    }

    /// Adds the refresh token of tokens that the cache lacks.
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

    /// Adds what an account has of one authority, or of one of its policies.
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

    /// Adds what outside authorities have given for tokens that an account has here (RFC 8693).
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

    /// Adds access tokens that are good yet and have no refresh token.
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
        // The rest ends by itself, and sooner.
        if good.count > Self.mostAccessTokens { unknown.append("access tokens of \(name)") }
    }

    private static func tokens(_ account: AccountRow, _ desk: SignOutDesk) -> [TokenRow] {
        (try? desk.cache.tokens.list(uid: account.uid, account: account.account)) ?? []
    }

    /// The most access tokens of an account at one authority that are revoked, those that live longest.
    private static let mostAccessTokens = 32

    /// The most calls at once: no authority is asked more by one uid.
    private static let mostAtOnce = 8

    /// Ends them all, some at once, each within the time of one call; an authority that does not answer is soon left alone.
    ///
    /// - Returns: Those that could not be ended, in words.
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
    /// True if an account is signed out.
    fileprivate func covers(_ account: String) -> Bool {
        switch self {
        case .all: true
        case .accounts(let ids): ids.contains(account)
        }
    }
}
