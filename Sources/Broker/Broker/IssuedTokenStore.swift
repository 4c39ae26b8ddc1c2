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

/// Durably stores the accounts and tokens of this machine's users before they are returned to callers.
struct IssuedTokenStore: Sendable {
    let cache: TokenCache
    let authority: Authority
    let logger: Logger
    let renewer = FamilyRenewer()
    let unkept = UnsavedTokens()
    let shared = SharedGeneration()

    /// Renews a token family for `request`, once for all waiting callers, and stores the new tokens.
    ///
    /// - Throws: ``UncoveredRequest`` with the request that started the renewal, if the family does not cover it.
    func renew(_ family: FamilyKey, for request: ResolvedRequest, _ caller: Caller) async throws -> TokenRow {
        try await renewer.renewed(family) {
            // Read the generation before the refresh token, so that a sign-out between the reads prevents storing.
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

    /// Durably stores issued tokens before they are returned.
    ///
    /// `signOuts` is the generation of the uid's latest sign-out, read before the decision to issue the tokens. Only a
    /// sign-in changes the account's last-used policy. If a renewal's tokens cannot be stored, the redeemed refresh
    /// token stays valid, and redeeming it again returns the same replacement (RFC 9700 §4.14.2).
    ///
    /// - Throws: `interaction_required` if the account was signed out meanwhile; `storage_failed` if storing fails.
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
            // Revoke tokens that cannot be stored. If the revocation fails too, the tokens expire eventually.
            do {
                try await authority.revoke(family: issued.family, reason: "not_kept", caller)
            } catch {
                logger.warning("a token family that was not stored was not revoked", metadata: ["error": "\(error)"])
            }
            throw Broker.rows.refusal(error)
        }
        return token
    }

    /// Stores the account of `user` without storing a token, and returns the account's row.
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

    /// If the user of a local account is disabled or deleted, removes the user's tokens and returns `true`.
    func dropIfGone(_ account: AccountRow) async throws -> Bool {
        let user = UserID(oid: account.subject)
        if try await authority.isEnabled(user) { return false }
        await removeTokens(of: user)
        return true
    }

    /// Removes a user's invalid tokens from all caches.
    ///
    /// An error is only logged, because invalid tokens that remain in a cache are not returned to callers.
    func removeTokens(of user: UserID) async {
        do {
            try await cache.tokens.remove(authority: Broker.localAuthority, subject: user.oid)
        } catch {
            logger.warning("tokens of a disabled user were not removed", metadata: ["error": "\(error)"])
        }
    }

    /// Removes access tokens that contain outdated claims about a user.
    func userChanged(_ user: UserID) async {
        shared.raise()
        do {
            try await cache.tokens.removeAccessTokens(authority: Broker.localAuthority, subject: user.oid)
        } catch {
            logger.warning("tokens with outdated claims were not removed", metadata: ["error": "\(error)"])
        }
    }

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
    /// Creates the refusal for a renewal whose tokens cannot be stored.
    init(renewal error: StoreError) {
        let refusal = Broker.rows.refusal(error)
        self =
            refusal.reason == .storageFailed || error.code == .busy
            ? refusal
            : Refusal(.storageFailed, Text("refusal.renewalNotStored"))
                .because(error.message).retrying(afterMs: 1_000)
    }
}

/// Counts the changes that affect the responses to all uids: changes to the configuration, clients, keys and users.
final class SharedGeneration: Sendable {
    private struct State {
        var value: Int64 = 0
        var epoch: Int64?
    }

    private let state = Mutex(State())

    var value: Int64 { state.withLock(\.value) }

    func raise() {
        state.withLock { $0.value += 1 }
    }

    /// Counts a change if `epoch`, the authority's current epoch, differs from the epoch of the previous call.
    func sawEpoch(_ epoch: Int64) {
        state.withLock { state in
            if let before = state.epoch, before != epoch { state.value += 1 }
            state.epoch = epoch
        }
    }
}
