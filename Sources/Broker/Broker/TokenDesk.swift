import Authority
public import FlowModel
import Flows
import Logging
import Moments
import OAuth
import OpenIDClient
import Policies
import Storage
import StoreRefusals
import TokenCache

/// The tokens of local callers: finds them in the cache, renews them, and starts the flow that a person must complete first.
///
/// It is a class because each line at the socket takes it: a copy of its many parts cost a third of a cached answer.
public final class TokenDesk: Sendable {
    let flows: FlowDesk
    let external: ExternalAuthorities
    let clock: MomentClock
    let machine: String
    let logger: Logger
    let watch: TokenWatch
    let limits = CallRateLimits()
    let used = RecentTokenUses()
    let rounds = RenewalRounds()

    init(flows: FlowDesk, external: ExternalAuthorities, clock: MomentClock, machine: String, logger: Logger) {
        self.flows = flows
        self.external = external
        self.clock = clock
        self.machine = machine
        self.logger = logger
        let cache = flows.cache
        watch = TokenWatch(clock: clock, logger: logger) { uid in
            guard !cache.vaults.isLocked(uid: uid) else { return nil }
            return TokenSnapshot(accounts: try cache.accounts.list(uid: uid), tokens: try cache.tokens.list(uid: uid))
        }
        cache.follow { [weak watch] uid in watch?.look(uid) }
    }

    var accounts: LocalAccounts { flows.accounts }
    var signOuts: SignOutDesk { flows.signOuts }
    var store: IssuedTokenStore { flows.store }
    var cache: TokenCache { flows.cache }
    var authority: Authority { flows.authority }

    /// Finds a token, renews one, or starts the flow that a person must complete first.
    public func acquire(_ request: AcquireRequest, caller: Caller) async throws -> AcquireAnswer {
        try await Acquisition(desk: self, request: request, caller: caller).answer()
    }

    /// The uid's cached tokens, without the tokens; ended ones are left out.
    public func list(account: String?, caller: Caller) async throws -> [TokenSummary] {
        if let account { _ = try await accounts.row(account, caller) }
        let now = clock.now
        return try await Broker.rows.storing { try cache.tokens.list(uid: caller.owner.cacheUID, account: account) }
            .filter { !$0.expires.hasEnded(at: now) }
            .map(TokenSummary.init)
    }

    /// Begins to tell the caller of changes to its tokens and accounts.
    ///
    /// - Parameters:
    ///   - account: The only account that it asks about.
    ///   - caller: The caller.
    /// - Returns: The subscription, which ends when nobody holds it any more.
    /// - Throws: `account_not_found`, `locked`, `storage_failed`.
    public func subscribe(account: String?, caller: Caller) async throws -> TokenSubscription {
        if let account { _ = try await accounts.row(account, caller) }
        let subscription = try await Broker.rows.storing {
            try watch.subscribe(uid: caller.owner.cacheUID, account: account)
        }
        guard let subscription else { throw Broker.locked }
        return subscription
    }

    /// The number of changes that may have changed an answer to this uid; a remembered answer is valid only at its own.
    public func generation(uid: UInt32) -> Int64 { cache.generation(uid: uid) &+ store.shared.value }

    /// Records that a remembered answer was given for this account.
    public func noteUse(uid: UInt32, account: String) { accounts.noteUse(uid: uid, account: account) }

    /// Takes over an account whose refresh token another program has kept.
    ///
    /// The token is renewed first, so that only what its authority takes is kept, and an authority that rotates tokens
    /// leaves the other program none.
    ///
    /// - Returns: The account.
    /// - Throws: `interaction_required` if the authority does not take the token any more, and the refusals of
    ///   `authority.add`; nothing is kept then.
    public func takeOver(_ imported: ImportedAccount, caller: Caller) async throws -> AccountSummary {
        let uid = try caller.owner.cacheUID
        let signOuts = try await Broker.rows.storing { try cache.signOuts.generation(uid: uid) }
        let known = try await external.known(imported.authority, uid)
        if known == nil {
            _ = try await external.add(imported.authority, caller: caller)
        } else {
            try external.looks.charge(uid, at: clock.now)
        }
        do {
            let authority: OutsideAuthority? =
                if let known { known } else { try await external.named(imported.authority.authority, uid: uid) }
            guard let authority else {
                throw Refusal(.interactionRequired, Text("refusal.authorityRemoved"))
            }
            var request = AcquireRequest(scopes: imported.authority.scopes)
            request.policy = authority.name
            let row = try await ExternalTokenSource(self, request, caller, authority)
                .takeOver(imported.refreshToken, signOuts: signOuts)
            await external.note(.signInSucceeded, at: authority, caller)
            return try await accounts.get(row.account, caller: caller)
        } catch {
            if known == nil {
                do {
                    _ = try await self.signOuts.removeAuthority(imported.authority.authority, caller: caller)
                } catch {
                    logger.warning("an authority was not removed again", metadata: ["error": "\(error)"])
                }
            }
            throw error
        }
    }
}

extension ExternalTokenSource {
    /// Renews a refresh token that another program has kept, and stores what comes.
    ///
    /// The one that comes in its place is stored before anything of the answer is verified, so that a failure after it, or a
    /// kill, loses no account: the same token taken over again goes on with its successor.
    func takeOver(_ refreshToken: Secret, signOuts: Int64) async throws -> TokenRow {
        let before = RotatedToken(
            uid: try caller.owner.cacheUID,
            issuer: authority.registration.issuer,
            clientID: authority.registration.clientID,
            token: refreshToken
        )
        let rotated = desk.cache.rotatedTokens
        do {
            let row = try await renewed(before, signOuts: signOuts)
            await forget(before)
            return row
        } catch let refusal as Refusal where [.providerUnavailable, .providerProtocol].contains(refusal.reason) {
            guard try await Broker.rows.storing({ try rotated.successor(of: before) }) != nil else { throw refusal }
            throw refusal.saying(
                Text("refusal.importNotVerified", ["authority": authority.registration.displayName])
            )
        }
    }

    private func renewed(_ before: RotatedToken, signOuts: Int64) async throws -> TokenRow {
        let registration = authority.registration
        let rotated = desk.cache.rotatedTokens
        let newest = try await Broker.rows.storing { try rotated.successor(of: before) } ?? before.token
        let tokens: OutsideTokens
        do throws(ProviderError) {
            tokens = try await desk.external.openID.takenOver(at: registration, newest, for: wanted.scopes) {
                successor in
                do throws(StoreError) {
                    try await rotated.keep(successor, of: before)
                } catch {
                    desk.logger.warning("a rotated token was not kept", metadata: ["error": "\(error)"])
                    await desk.external.note(.tokenNotCached, at: authority, caller)
                }
            }
        } catch {
            switch error.code {
            case .invalidGrant, .denied:
                // A successor that is only not given anything for is not spent.
                if error.code == .invalidGrant { await forget(before) }
                throw Refusal(
                    .interactionRequired,
                    Text("refusal.refreshTokenNotTaken", ["authority": registration.displayName])
                )
            case .unavailable, .protocolViolation: throw Refusal(error, of: registration)
            }
        }
        let redeemed = RefreshTokenRow(
            client: wanted.client,
            policy: authority.policy,
            token: newest,
            expires: Deadline(.zero, after: desk.clock.now)
        )
        return try await keep(tokens, over: nil, redeemed, signOuts: signOuts)
    }

    private func forget(_ before: RotatedToken) async {
        do throws(StoreError) {
            try await desk.cache.rotatedTokens.remove(before)
        } catch {
            desk.logger.warning("a rotated token was not forgotten", metadata: ["error": "\(error)"])
        }
    }
}
