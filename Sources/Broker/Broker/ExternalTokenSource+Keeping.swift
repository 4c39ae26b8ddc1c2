import Authority
import FlowModel
import Flows
import Foundation
import Logging
import Moments
import OAuth
import OpenIDClient
import Storage
import StoreRefusals
import TokenCache

extension ExternalTokenSource {
    /// How long an unused refresh token is stored, because authorities do not state when refresh tokens expire.
    private static let refreshLife: Duration = .seconds(400 * 86_400)
    /// The maximum length of a subject, in bytes (OpenID Connect Core §2).
    private static let longestSubject = 255
    /// The maximum length of a name, in Unicode scalars.
    private static let longestName = 256

    /// Durably stores the tokens that the authority has issued, before any caller gets them.
    ///
    /// `old`, the account's newest token, and `before`, the redeemed refresh token, supply values that are missing from
    /// the response. `signOuts` is the generation of the uid's latest sign-out, read before the tokens are requested.
    ///
    /// - Throws: `interaction_required` if the account was signed out meanwhile; `storage_failed` if storing fails.
    func keep(
        _ tokens: OutsideTokens,
        over account: AccountRow? = nil,
        after old: TokenRow? = nil,
        _ before: RefreshTokenRow? = nil,
        signOuts: Int64
    ) async throws -> TokenRow {
        let uid = try caller.owner.cacheUID
        // An import has no account yet, and its new refresh token is stored before the response is verified.
        let isTakenOver = account == nil && before != nil
        guard isStill(uid) else {
            if let refreshToken = tokens.refreshToken { _ = await desk.external.revoke(refreshToken, at: authority) }
            throw Refusal(.interactionRequired, Text("refusal.authorityGone", ["authority": authority.name]))
        }
        guard let person = person(tokens.claims) ?? account.flatMap({ OutsidePerson($0.subject) }),
            account.map({ $0.subject == person.text }) ?? true
        else {
            // The response is for a different user (OpenID Connect Core §12.2), so revoke a new refresh token and keep
            // the redeemed one.
            if !isTakenOver, let refreshToken = tokens.refreshToken, refreshToken != before?.token {
                _ = await desk.external.revoke(refreshToken, at: authority)
                if let account, let before { await keepRotated(before.token, of: account, signOuts: signOuts) }
            }
            throw Refusal(
                ProviderError(.protocolViolation, "\(authority.name) responded with a token for a different user"),
                of: authority.registration
            )
        }
        guard tokens.mayBe(for: indicator) else {
            // Revoke only after a sign-in, because a renewal or an import has already stored the new refresh token.
            if account == nil, !isTakenOver, let refreshToken = tokens.refreshToken {
                _ = await desk.external.revoke(refreshToken, at: authority)
            }
            throw Refusal(
                ProviderError(.protocolViolation, "\(authority.name) returned an access token for another API"),
                of: authority.registration
            )
        }
        var claims = tokens.claims ?? old?.claimValues.object ?? [:]
        if let old, account != nil { claims = Self.claims(claims, ofSignIn: old.claimValues.object ?? [:]) }
        let username = Self.name(claims, ["preferred_username", "email", "upn"]) ?? account?.username ?? person.subject
        let now = desk.clock.now
        let id = desk.cache.accounts.id(uid: uid, authority: authority.name, subject: person.text)
        let row = TokenRow(
            uid: uid,
            account: id,
            client: wanted.client,
            authority: authority.name,
            policy: authority.policy,
            resource: wanted.resource,
            scopes: tokens.scopes,
            accessToken: tokens.accessToken,
            idToken: tokens.idToken ?? old?.idToken,
            expires: tokens.expires,
            expiresAt: tokens.expires.wall,
            acr: claims["acr"]?.string ?? "",
            amr: claims["amr"]?.strings ?? [],
            authTime: Self.authTime(claims, at: now),
            claims: Data(JSONValue.object(claims).bytes),
            username: username,
            receivedAt: now.wall
        )
        let refreshToken = tokens.refreshToken ?? before?.token
        let unit = StoreUnit(
            account: AccountUpsert(
                uid: uid,
                authority: authority.name,
                subject: person.text,
                username: username,
                displayName: Self.displayName(claims) ?? account?.displayName,
                policy: authority.policy,
                isSignIn: account == nil,
                isUse: isUse
            ),
            token: row,
            refreshToken: refreshToken.map { refreshTokenRow($0, at: now) }
        )
        let family = FamilyKey(uid: uid, account: id, client: wanted.client, policy: wanted.policy)
        do throws(StoreError) {
            try await desk.cache.store(unit, expectedGeneration: signOuts)
            desk.store.unkept.forget(family)
            return row
        } catch {
            // Keep tokens in memory that would otherwise be lost: after a renewal, and after a sign-in unless the cache
            // is locked. After an import, they are not lost, because the user can repeat the import.
            let isLost = account != nil || (before == nil && error.code != .locked)
            if isLost, error.code != .signedOut, await hold(unit, of: family, signOuts: signOuts, error) {
                guard error.code != .locked else { throw Broker.locked }
                var row = row
                row.isKept = false
                return row
            }
            // Do not revoke an imported token, which another program still uses, but revoke its replacement after a
            // sign-out.
            if let refreshToken, !isTakenOver || error.code == .signedOut && tokens.refreshToken != nil {
                _ = await desk.external.revoke(refreshToken, at: authority)
            }
            throw Broker.rows.refusal(error)
        }
    }

    /// Returns a renewal's claims, but with the `auth_time`, `acr` and `nonce` of `before` (OpenID Connect Core §12.2).
    private static func claims(
        _ claims: [String: JSONValue],
        ofSignIn before: [String: JSONValue]
    ) -> [String: JSONValue] {
        var claims = claims
        for name in ["auth_time", "acr"] { claims[name] = before[name] }
        // The claims of an imported account contain no nonce from a sign-in, so use the nonce from the renewal.
        claims["nonce"] = before["nonce"] ?? claims["nonce"]
        return claims
    }

    /// Returns when the user signed in, in milliseconds since 1970 UTC, or 0 if the time is unknown or in the future.
    private static func authTime(_ claims: [String: JSONValue], at now: Moment) -> Int64 {
        guard let seconds = claims["auth_time"]?.numericDate, seconds - leeway <= now.seconds else { return 0 }
        return min(seconds * 1000, now.wall)
    }

    /// The tolerated difference between the daemon's clock and the authority's clock, in seconds.
    private static let leeway: Int64 = 60

    private func refreshTokenRow(_ refreshToken: Secret, at now: Moment) -> RefreshTokenRow {
        RefreshTokenRow(
            client: wanted.client,
            policy: authority.policy,
            token: refreshToken,
            expires: Deadline(Self.refreshLife, after: now)
        )
    }

    /// Stores the refresh token that replaces the redeemed token, before the rest of the response is verified.
    ///
    /// If it cannot be stored, it is kept in memory, or revoked if the authority or the account is gone.
    func keepRotated(_ refreshToken: Secret, of account: AccountRow, signOuts: Int64) async {
        guard isStill(account.uid) else {
            // Revoke the refresh token now, because nothing revokes it later if the rest of the response is invalid.
            _ = await desk.external.revoke(refreshToken, at: authority)
            return
        }
        let family = wanted.family(account.uid, account)
        let unit = StoreUnit(
            account: AccountUpsert(
                uid: account.uid,
                authority: account.authority,
                subject: account.subject,
                username: account.username,
                displayName: account.displayName,
                policy: authority.policy,
                isSignIn: false,
                isUse: isUse
            ),
            token: desk.store.unkept[family]?.unit.token,
            refreshToken: refreshTokenRow(refreshToken, at: desk.clock.now)
        )
        do throws(StoreError) {
            try await desk.cache.store(unit, expectedGeneration: signOuts)
            desk.store.unkept.forget(family)
        } catch {
            if error.code != .signedOut, await hold(unit, of: family, signOuts: signOuts, error) { return }
            _ = await desk.external.revoke(refreshToken, at: authority)
        }
    }

    /// Keeps tokens in memory because the cache cannot store them, or returns `false` if memory holds too many tokens.
    ///
    /// The audit log records only the first time that the tokens of a family cannot be stored.
    private func hold(
        _ unit: StoreUnit,
        of family: FamilyKey,
        signOuts: Int64,
        _ error: StoreError
    ) async -> Bool {
        let isRecorded = desk.store.unkept[family]?.isRecorded ?? false
        let held = UnsavedTokens.Held(unit: unit, signOuts: signOuts, isRecorded: isRecorded)
        guard desk.store.unkept.hold(held, of: family) else { return false }
        guard !isRecorded else { return true }
        desk.logger.warning("a token could not be cached", metadata: ["error": "\(error)"])
        if await desk.external.note(.tokenNotCached, at: authority, caller) { desk.store.unkept.setRecorded(family) }
        return true
    }

    /// Tries again to store a family's tokens that are only in memory, or revokes them if the account is signed out.
    ///
    /// - Returns: The access token from memory, or `nil` if there is none or the account is signed out.
    func keptAtLast(_ family: FamilyKey) async -> TokenRow? {
        guard let held = desk.store.unkept[family] else { return nil }
        do throws(StoreError) {
            try await desk.cache.store(held.unit, expectedGeneration: held.signOuts)
            desk.store.unkept.forget(family)
            // If the audit log entry could not be written before, for example because the disk was full, write it now.
            if !held.isRecorded { await desk.external.note(.tokenNotCached, at: authority, caller) }
            return held.unit.token
        } catch {
            guard error.code != .signedOut else {
                desk.store.unkept.forget(family)
                if let refreshToken = held.unit.refreshToken?.token {
                    _ = await desk.external.revoke(refreshToken, at: authority)
                }
                return nil
            }
            // Do not renew again, because the cache probably could not store the next refresh token either.
            var row = held.unit.token
            row?.isKept = false
            return row
        }
    }

    /// Whether the authority's name still refers to the same issuer and client.
    private func isStill(_ uid: UInt32) -> Bool {
        do throws(StoreError) {
            let now = try desk.external.namedNow(authority.policy, uid: uid)?.registration
            return now?.issuer == authority.registration.issuer && now?.clientID == authority.registration.clientID
        } catch {
            // The issued tokens must not be lost. If the cache cannot be read now, assume that the name is unchanged.
            return true
        }
    }

    private func person(_ claims: [String: JSONValue]?) -> OutsidePerson? {
        guard let subject = claims?["sub"]?.string, (1...Self.longestSubject).contains(subject.utf8.count) else {
            return nil
        }
        return OutsidePerson(subject: subject, issuer: authority.registration.issuer)
    }

    func newest(of account: AccountRow) async throws -> TokenRow? {
        let uid = try caller.owner.cacheUID
        return try await Broker.rows.storing { try desk.cache.tokens.list(uid: uid, account: account.account) }
            .filter { $0.client == wanted.client && $0.policy == wanted.policy }
            .max { ($0.receivedAt ?? 0) < ($1.receivedAt ?? 0) }
    }

    private static func displayName(_ claims: [String: JSONValue]) -> String? {
        let text = (claims["name"]?.string ?? "").removingOutOfPlace(limit: longestName)
        return text.isEmpty ? nil : text
    }

    /// Returns the first present claim of `names` without misleading characters, or `nil` if there is none.
    private static func name(_ claims: [String: JSONValue], _ names: [String]) -> String? {
        for name in names {
            let text = (claims[name]?.string ?? "").removingMisleading(limit: longestName)
            if !text.isEmpty { return text }
        }
        return nil
    }
}
