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

/// Returns tokens to local callers from the cache, from a renewal, or after the user completes a flow.
///
/// This is a class, because copying a structure with so many members slows down returning a cached token.
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

    /// Returns a token from the cache or from a renewal, or else a flow that the user must complete first.
    public func acquire(_ request: AcquireRequest, caller: Caller) async throws -> AcquireAnswer {
        try await Acquisition(desk: self, request: request, caller: caller).answer()
    }

    /// Returns descriptions of the uid's cached tokens that have not expired, without the tokens themselves.
    public func list(account: String?, caller: Caller) async throws -> [TokenSummary] {
        if let account { _ = try await accounts.row(account, caller) }
        let now = clock.now
        return try await Broker.rows.storing { try cache.tokens.list(uid: caller.owner.cacheUID, account: account) }
            .filter { !$0.expires.hasEnded(at: now) }
            .map(TokenSummary.init)
    }

    /// Subscribes the caller to changes to its uid's tokens and accounts, until the returned object is released.
    ///
    /// - Throws: `account_not_found`, `locked` or `storage_failed`.
    public func subscribe(account: String?, caller: Caller) async throws -> TokenSubscription {
        if let account { _ = try await accounts.row(account, caller) }
        let subscription = try await Broker.rows.storing {
            try watch.subscribe(uid: caller.owner.cacheUID, account: account)
        }
        guard let subscription else { throw Broker.locked }
        return subscription
    }

    /// Returns a number that rises with every change that could affect the responses to the uid.
    ///
    /// A response can be reused as long as the number stays the same.
    public func generation(uid: UInt32) -> Int64 { cache.generation(uid: uid) &+ store.shared.value }

    /// Records that a response with one of the account's tokens was reused.
    public func noteUse(uid: UInt32, account: String) { accounts.noteUse(uid: uid, account: account) }

    /// Imports an account from another program by redeeming that program's refresh token.
    ///
    /// If the authority rotates refresh tokens, the other program's token becomes invalid.
    ///
    /// - Throws: `interaction_required` if the authority rejects the token, and the errors that `authority.add` throws.
    ///   In these cases, nothing is stored.
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
                    logger.warning("a failed import left its authority behind", metadata: ["error": "\(error)"])
                }
            }
            throw error
        }
    }
}

extension ExternalTokenSource {
    /// Redeems another program's refresh token, and stores the new tokens.
    ///
    /// If the authority returns a new refresh token, it is stored before the response is verified. If an error occurs
    /// then, and the same token is imported again, the stored token is redeemed instead.
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
                    desk.logger.warning("a rotated token was not stored", metadata: ["error": "\(error)"])
                    await desk.external.note(.tokenNotCached, at: authority, caller)
                }
            }
        } catch {
            switch error.code {
            case .invalidGrant, .denied:
                // After `denied`, keep the stored replacement of the refresh token, because it could still be valid.
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
            desk.logger.warning("a rotated token was not deleted", metadata: ["error": "\(error)"])
        }
    }
}
