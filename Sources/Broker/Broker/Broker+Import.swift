public import FlowModel
import Flows
import Logging
import Moments
import OAuth
import OpenIDClient
import Storage
import StoreRefusals
import TokenCache

extension Broker {
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
        let signOuts = try await Self.rows.storing { try cache.signOuts.generation(uid: uid) }
        let known = try await known(imported.authority, uid)
        if known == nil {
            _ = try await addAuthority(imported.authority, caller: caller)
        } else {
            try budgets.looks.charge(uid, at: clock.now)
        }
        do {
            let authority: OutsideAuthority? =
                if let known { known } else { try await outside(imported.authority.authority, uid: uid) }
            guard let authority else {
                throw Refusal(.interactionRequired, "the authority was removed meanwhile")
            }
            var request = AcquireRequest(scopes: imported.authority.scopes)
            request.policy = authority.name
            let row = try await ExternalTokenSource(self, request, caller, authority)
                .takeOver(imported.refreshToken, signOuts: signOuts)
            await note(.signInSucceeded, at: authority, caller)
            return try await account(row.account, caller: caller)
        } catch {
            if known == nil {
                do {
                    _ = try await removeAuthority(imported.authority.authority, caller: caller)
                } catch {
                    logger.warning("an authority was not removed again", metadata: ["error": "\(error)"])
                }
            }
            throw error
        }
    }

    /// The authority of the same issuer and client that the caller can name already.
    private func known(_ new: NewAuthority, _ uid: UInt32) async throws -> OutsideAuthority? {
        let own = try await Self.rows.storing { try cache.ownAuthorities.list(uid: uid) }.map(\.name)
        for name in settings().authorities.keys.sorted() + own {
            guard let authority = try await outside(name, uid: uid), authority.signsPeopleIn else {
                continue
            }
            switch authority.part {
            case .whole: break
            case .policies, .policy: continue
            }
            let registration = authority.registration
            if registration.clientID == new.clientID, let url = new.url,
                Self.withoutSlash(registration.issuer) == Self.withoutSlash(url)
            {
                return authority
            }
        }
        return nil
    }

    private static func withoutSlash(_ url: String) -> Substring { url.hasSuffix("/") ? url.dropLast() : url[...] }
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
        let rotated = broker.cache.rotatedTokens
        do {
            let row = try await renewed(before, signOuts: signOuts)
            await forget(before)
            return row
        } catch let refusal as Refusal where [.providerUnavailable, .providerProtocol].contains(refusal.reason) {
            guard try await Broker.rows.storing({ try rotated.successor(of: before) }) != nil else { throw refusal }
            throw refusal.saying(
                "\(authority.registration.displayName) has renewed the token, but what it answered could not be verified; "
                    + "the new token is kept here: import the same account again to go on"
            )
        }
    }

    private func renewed(_ before: RotatedToken, signOuts: Int64) async throws -> TokenRow {
        let registration = authority.registration
        let rotated = broker.cache.rotatedTokens
        let newest = try await Broker.rows.storing { try rotated.successor(of: before) } ?? before.token
        let tokens: OutsideTokens
        do throws(ProviderError) {
            tokens = try await broker.openID.takenOver(at: registration, newest, for: wanted.scopes) { successor in
                do throws(StoreError) {
                    try await rotated.keep(successor, of: before)
                } catch {
                    broker.logger.warning("a rotated token was not kept", metadata: ["error": "\(error)"])
                    await broker.note(.tokenNotCached, at: authority, caller)
                }
            }
        } catch {
            switch error.code {
            case .invalidGrant, .denied:
                // A successor that is only not given anything for is not spent.
                if error.code == .invalidGrant { await forget(before) }
                throw Refusal(
                    .interactionRequired,
                    "\(registration.displayName) does not take this refresh token; sign in there"
                )
            case .unavailable, .protocolViolation: throw Refusal(error, of: registration)
            }
        }
        let redeemed = RefreshTokenRow(
            client: wanted.client,
            policy: authority.policy,
            token: newest,
            expires: Deadline(.zero, after: broker.clock.now)
        )
        return try await keep(tokens, over: nil, redeemed, signOuts: signOuts)
    }

    private func forget(_ before: RotatedToken) async {
        do throws(StoreError) {
            try await broker.cache.rotatedTokens.remove(before)
        } catch {
            broker.logger.warning("a rotated token was not forgotten", metadata: ["error": "\(error)"])
        }
    }
}
