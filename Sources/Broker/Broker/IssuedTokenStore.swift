import Authority
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import Policies
import Storage
import StoreRefusals
import Synchronization
import TokenCache

/// The tokens and accounts of this machine, stored durably before they are handed out.
struct IssuedTokenStore: Sendable {
    let cache: TokenCache
    let authority: Authority
    let logger: Logger
    let renewer = FamilyRenewer()
    let unkept = UnsavedTokens()
    /// Counts the changes that affect answers to every uid.
    let shared = SharedGeneration()

    /// Renews a family that covers the request, once for all waiting callers, and stores the new tokens.
    ///
    /// - Throws: ``UncoveredRequest``, with the request of the caller that began the renewal, if the family does not cover
    ///   it, is dead, or is not there: that says nothing of those who wait for something else.
    func renew(_ family: FamilyKey, for request: ResolvedRequest, _ caller: Caller) async throws -> TokenRow {
        try await renewer.renewed(family) {
            // Read before the token, so that a sign-out in between is seen when the result is stored.
            let signOuts = try await Broker.rows.storing { try cache.signOuts.generation(uid: family.uid) }
            guard let kept = try await refreshToken(family) else { throw UncoveredRequest(request: request) }
            do {
                let part = RenewedPart.everythingWith(request)
                let issued = try await authority.redeem(kept.token, client: family.client, for: part, caller)
                return try await keep(issued, caller, signOuts: signOuts, isRenewal: true)
            } catch let refusal as Refusal where refusal.reason == .interactionRequired {
                throw UncoveredRequest(request: request)
            }
        }
    }

    /// Stores issued tokens, durably, before they are handed out.
    ///
    /// - Parameters:
    ///   - issued: The tokens.
    ///   - caller: The uid that they are for, with the facts for the audit.
    ///   - signOuts: The uid's sign-outs before the grant was decided; a later one of this account wins.
    ///   - isSignIn: False if nobody was asked: the policy is then not what the account signs in with.
    ///   - isRenewal: True if the family is in the cache already, with the redeemed refresh token. It stays valid if
    ///     the new tokens cannot be stored: the cached token gives the same successor again (RFC 9700 §4.14.2).
    /// - Returns: The token as it is in the cache.
    /// - Throws: `interaction_required` if the account was signed out meanwhile, `storage_failed`.
    func keep(
        _ issued: IssuedTokens,
        _ caller: Caller,
        signOuts: Int64,
        isSignIn: Bool = true,
        isRenewal: Bool = false
    ) async throws -> TokenRow {
        let uid = try caller.owner.cacheUID
        let account = account(
            issued.user,
            policy: issued.policy.description,
            uid,
            isSignIn: isSignIn && !isRenewal
        )
        let token = TokenRow(
            issued,
            uid: uid,
            account: cache.accounts.id(uid: uid, authority: Broker.localAuthority, subject: issued.user.id.oid)
        )
        let unit = StoreUnit(
            account: account,
            token: token,
            refreshToken: RefreshTokenRow(
                client: issued.client,
                policy: issued.policy.description,
                token: issued.refreshToken,
                expires: issued.refreshExpires
            )
        )
        do {
            try await cache.store(unit, expectedGeneration: signOuts)
        } catch {
            if isRenewal, error.code != .signedOut { throw Refusal(renewal: error) }
            // Tokens that cannot be stored must not stay valid; if revoking fails as well, they expire by themselves.
            do {
                try await authority.revoke(family: issued.family, reason: "not_kept", caller)
            } catch {
                logger.warning("a family that could not be kept was not revoked", metadata: ["error": "\(error)"])
            }
            throw Broker.rows.refusal(error)
        }
        return token
    }

    /// Stores an account that has no token yet.
    func keep(
        _ user: NamedUser,
        policy: String,
        uid: UInt32,
        signOuts: Int64
    ) async throws -> AccountRow {
        try await Broker.rows.storing {
            try await cache.store(
                StoreUnit(account: account(user, policy: policy, uid, isSignIn: true)),
                expectedGeneration: signOuts
            )
        }
    }

    /// Removes the tokens of an account of ours whose person an operator disabled or deleted, perhaps at another daemon.
    ///
    /// - Returns: False if the person may still sign in, and nothing was removed.
    func dropIfGone(_ account: AccountRow) async throws -> Bool {
        let user = UserID(oid: account.subject)
        if try await authority.isEnabled(user) { return false }
        await removeTokens(of: user)
        return true
    }

    /// Removes the tokens of a person who may no longer sign in from this machine, of every uid.
    ///
    /// A failure is logged only: the authority knows of the change, and no such token is handed out.
    func removeTokens(of user: UserID) async {
        do {
            try await cache.tokens.remove(authority: Broker.localAuthority, subject: user.oid)
        } catch {
            logger.warning("tokens of a disabled user were not removed", metadata: ["error": "\(error)"])
        }
    }

    /// Removes access tokens whose claims about a user have changed.
    func userChanged(_ user: UserID) async {
        shared.raise()
        do {
            try await cache.tokens.removeAccessTokens(authority: Broker.localAuthority, subject: user.oid)
        } catch {
            logger.warning("tokens of a changed user were not removed", metadata: ["error": "\(error)"])
        }
    }

    /// The newest refresh token of a family.
    func refreshToken(_ family: FamilyKey) async throws -> RefreshTokenRow? {
        try await Broker.rows.storing {
            try cache.refreshTokens.get(
                uid: family.uid,
                account: family.account,
                client: family.client,
                policy: family.policy
            )
        }
    }

    private func account(_ user: NamedUser, policy: String, _ uid: UInt32, isSignIn: Bool) -> AccountUpsert {
        AccountUpsert(
            uid: uid,
            authority: Broker.localAuthority,
            subject: user.id.oid,
            username: user.username,
            displayName: user.displayName,
            policy: policy,
            isSignIn: isSignIn
        )
    }
}

extension Refusal {
    /// The refusal of a renewal that cannot be stored; the next one gives the same tokens.
    init(renewal error: StoreError) {
        let refusal = Broker.rows.refusal(error)
        self =
            refusal.reason == .storageFailed || error.code == .busy
            ? refusal
            : Refusal(.storageFailed, Text("refusal.renewalNotStored"))
                .because(error.message).retrying(afterMs: 1_000)
    }
}

/// A counter of changes that affect answers to every uid: of the configuration, and the authority's clients, keys,
/// users.
final class SharedGeneration: Sendable {
    private struct State {
        var value: Int64 = 0
        var epoch: Int64?
    }

    private let state = Mutex(State())

    /// The number of changes so far.
    var value: Int64 { state.withLock(\.value) }

    /// Counts a change.
    func raise() {
        state.withLock { $0.value += 1 }
    }

    /// Counts a change if the authority's epoch differs from the last one.
    func sawEpoch(_ epoch: Int64) {
        state.withLock { state in
            if let before = state.epoch, before != epoch { state.value += 1 }
            state.epoch = epoch
        }
    }
}
