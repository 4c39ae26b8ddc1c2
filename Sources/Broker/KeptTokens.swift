import Authority
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import Policies
import Storage
import StoreRefusals
import TokenCache

/// The tokens and accounts of this machine, kept durably before anybody gets them.
struct KeptTokens: Sendable {
    let cache: TokenCache
    let authority: Authority
    let logger: Logger
    let renewer = FamilyRenewer()

    /// Renews a family once for everybody who waits, and keeps what came.
    func renew(_ family: FamilyKey, _ caller: Caller) async throws -> TokenRow {
        try await renewer.renewed(family) {
            // Read before the token, so that a sign-out in between is seen when the result is stored.
            let signOuts = try await Broker.rows.storing { try cache.signOutGeneration(uid: family.uid) }
            guard let kept = try await refreshToken(family) else {
                throw Refusal(.interactionRequired, "this account was signed out")
            }
            let issued = try await authority.redeem(kept.token, client: family.client, caller)
            return try await keep(issued, caller, signOuts: signOuts, isRenewal: true)
        }
    }

    /// Keeps what was issued, durably, before anybody gets it.
    ///
    /// - Parameters:
    ///   - issued: The tokens.
    ///   - caller: The uid that they are for, with what the audit keeps.
    ///   - signOuts: The uid's sign-outs before the grant was looked at; one of this account that came since wins.
    ///   - isRenewal: `true` if the family is in the cache already, with the refresh token that was redeemed. It stays
    ///     good if what came of it cannot be kept: the cached token gives the same successor again (RFC 9700 §4.14.2).
    /// - Returns: The token as it is in the cache.
    /// - Throws: `interaction_required` if the account was signed out meanwhile, `storage_failed`.
    func keep(
        _ issued: IssuedTokens,
        _ caller: Caller,
        signOuts: Int64,
        isRenewal: Bool = false
    ) async throws -> TokenRow {
        let uid = try caller.owner.cacheUID
        let account = account(issued.user, policy: issued.policy.description, uid)
        let token = TokenRow(
            issued,
            uid: uid,
            account: cache.accountID(uid: uid, authority: Broker.localAuthority, subject: issued.user.id.oid)
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
            // What cannot be kept must not stay good; where even that fails, it ends by itself.
            do {
                try await authority.revoke(family: issued.family, reason: "not_kept", caller)
            } catch {
                logger.warning("a family that could not be kept was not revoked", metadata: ["error": "\(error)"])
            }
            throw Broker.rows.refusal(error)
        }
        return token
    }

    /// Keeps an account that has no token yet.
    func keep(
        _ user: NamedUser,
        policy: String,
        uid: UInt32,
        signOuts: Int64
    ) async throws -> AccountRow {
        do {
            return try await cache.store(
                StoreUnit(account: account(user, policy: policy, uid)),
                expectedGeneration: signOuts
            )
        } catch {
            throw Broker.rows.refusal(error)
        }
    }

    /// Removes the tokens of somebody who may not sign in any more from this machine, at every uid.
    ///
    /// What fails is logged: the authority knows, and none of them is given out.
    func removeTokens(of user: UserID) async {
        do {
            try await cache.removeTokens(authority: Broker.localAuthority, subject: user.oid)
        } catch {
            logger.warning("tokens of a disabled user were not removed", metadata: ["error": "\(error)"])
        }
    }

    /// The newest refresh token of a family.
    func refreshToken(_ family: FamilyKey) async throws -> RefreshTokenRow? {
        try await Broker.rows.storing {
            try cache.refreshToken(
                uid: family.uid,
                account: family.account,
                client: family.client,
                policy: family.policy
            )
        }
    }

    private func account(_ user: NamedUser, policy: String, _ uid: UInt32) -> AccountUpsert {
        AccountUpsert(
            uid: uid,
            authority: Broker.localAuthority,
            subject: user.id.oid,
            username: user.username,
            displayName: user.displayName,
            policy: policy
        )
    }
}

extension Broker {
    /// The name of this daemon's authority among a uid's accounts.
    static let localAuthority = "local"
    /// The validity in milliseconds that a token must still have where the caller says nothing.
    static let defaultValidityMs: Int64 = 60_000
    /// Milliseconds between two renewals for the sake of a validity that no token has.
    static let renewalPauseMs: Int64 = 60_000
}

extension Refusal {
    /// The refusal of a renewal that cannot be kept; the next one gives the same.
    init(renewal error: StoreError) {
        let refusal = Broker.rows.refusal(error)
        self =
            refusal.reason == .storageFailed || error.code == .busy
            ? refusal
            : Refusal(.storageFailed, "the renewal could not be stored; try again")
                .because(error.message).retrying(afterMs: 1_000)
    }
}
