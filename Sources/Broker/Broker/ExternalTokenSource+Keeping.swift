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
    /// How long an unused refresh token is stored.
    ///
    /// Authorities do not state when refresh tokens expire.
    private static let refreshLife: Duration = .seconds(400 * 86_400)
    /// The maximum length of a subject, in bytes (OpenID Connect Core §2 allows 255).
    private static let longestSubject = 255
    /// The maximum length of a name, in Unicode scalars.
    private static let longestName = 256

    /// Durably stores the tokens that the authority has issued, before they are returned.
    ///
    /// `old` is the account's newest token, and `before` is the redeemed refresh token. Both supply values that the
    /// authority's response does not contain. `signOuts` is the generation of the uid's most recent sign-out, read
    /// before the request.
    ///
    /// - Throws: `interaction_required` if the account was signed out in the meantime; `storage_failed` if the tokens
    ///   cannot be stored.
    func keep(
        _ tokens: OutsideTokens,
        over account: AccountRow? = nil,
        after old: TokenRow? = nil,
        _ before: RefreshTokenRow? = nil,
        signOuts: Int64
    ) async throws -> TokenRow {
        let uid = try caller.owner.cacheUID
        // An imported account's refresh token is stored before the response is verified.
        let isTakenOver = account == nil && before != nil
        guard isStill(uid) else {
            if let refreshToken = tokens.refreshToken { _ = await desk.external.revoke(refreshToken, at: authority) }
            throw Refusal(.interactionRequired, Text("refusal.authorityGone", ["authority": authority.name]))
        }
        guard let person = person(tokens.claims) ?? account.flatMap({ OutsidePerson($0.subject) }),
            account.map({ $0.subject == person.text }) ?? true
        else {
            // The response to a renewal is verified too (OpenID Connect Core §12.2). If verification fails, the account
            // keeps its cached tokens.
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
            // For a renewal or an import, the new refresh token is already stored.
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
                displayName: Self.name(claims, ["name"]) ?? account?.displayName,
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
            // If the previous refresh token cannot be used again, or a user has just signed in, the tokens stay in
            // memory and the caller gets the token. For an import, the other program's refresh token stays valid. If
            // the uid's cache is locked, a new sign-in is discarded, but the tokens of an existing account are not.
            let isLost = account != nil || (before == nil && error.code != .locked)
            if isLost, error.code != .signedOut, await hold(unit, of: family, signOuts: signOuts, error) {
                guard error.code != .locked else { throw Broker.locked }
                var row = row
                row.isKept = false
                return row
            }
            // The refresh token that an import started with still belongs to the other program, so it is not revoked. A
            // replacement stays stored unless the user has signed out.
            if let refreshToken, !isTakenOver || error.code == .signedOut && tokens.refreshToken != nil {
                _ = await desk.external.revoke(refreshToken, at: authority)
            }
            throw Broker.rows.refusal(error)
        }
    }

    /// Returns the claims of a renewal.
    ///
    /// Claims that only a sign-in can set (OpenID Connect Core §12.2) are taken from `before`.
    private static func claims(
        _ claims: [String: JSONValue],
        ofSignIn before: [String: JSONValue]
    ) -> [String: JSONValue] {
        var claims = claims
        for name in ["auth_time", "acr"] { claims[name] = before[name] }
        // An imported account has no nonce from a sign-in, so the renewal's nonce is used.
        claims["nonce"] = before["nonce"] ?? claims["nonce"]
        return claims
    }

    /// Returns when the user signed in, in milliseconds since 1970 UTC, or 0 if that is unknown or in the future.
    private static func authTime(_ claims: [String: JSONValue], at now: Moment) -> Int64 {
        guard let seconds = claims["auth_time"]?.numericDate, seconds - leeway <= now.seconds else { return 0 }
        return min(seconds * 1000, now.wall)
    }

    /// The tolerated difference from the authority's clock, in seconds.
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
    /// If the cache cannot store the token, it stays in memory. If the authority has been removed, the token is
    /// revoked.
    func keepRotated(_ refreshToken: Secret, of account: AccountRow, signOuts: Int64) async {
        guard isStill(account.uid) else {
            // If the rest of the response cannot be verified, nothing else would revoke the token.
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

    /// Holds tokens in memory because the cache cannot store them, or returns `false` if too many tokens are already in
    /// memory.
    ///
    /// The audit log records this once per token family.
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

    /// Stores a family's tokens that are in memory because the cache could not store them, or revokes them if the
    /// account has been signed out.
    ///
    /// - Returns: The access token from the last renewal, or `nil` if the family has no tokens that are only in memory,
    ///   or if the account has been signed out.
    func keptAtLast(_ family: FamilyKey) async -> TokenRow? {
        guard let held = desk.store.unkept[family] else { return nil }
        do throws(StoreError) {
            try await desk.cache.store(held.unit, expectedGeneration: held.signOuts)
            desk.store.unkept.forget(family)
            // If the disk was full, recording this event might have failed too, so record it now.
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
            // Do not renew again. A renewal would use up this refresh token, and the cache probably could not store the
            // new one either.
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
            // If the cache cannot be read now, assume that the name is unchanged, because the issued tokens must not be
            // lost.
            return true
        }
    }

    private func person(_ claims: [String: JSONValue]?) -> OutsidePerson? {
        guard let subject = claims?["sub"]?.string, (1...Self.longestSubject).contains(subject.utf8.count) else {
            return nil
        }
        return OutsidePerson(subject: subject, issuer: authority.registration.issuer)
    }

    /// Returns the newest token in an account's token family, or `nil` if there is none.
    func newest(of account: AccountRow) async throws -> TokenRow? {
        let uid = try caller.owner.cacheUID
        return try await Broker.rows.storing { try desk.cache.tokens.list(uid: uid, account: account.account) }
            .filter { $0.client == wanted.client && $0.policy == wanted.policy }
            .max { ($0.receivedAt ?? 0) < ($1.receivedAt ?? 0) }
    }

    /// Returns the value of the first claim in `names` that is present, or `nil` if none is.
    ///
    /// Characters that could mislead a reader are removed.
    private static func name(_ claims: [String: JSONValue], _ names: [String]) -> String? {
        for name in names {
            let scalars = (claims[name]?.string ?? "").unicodeScalars.filter { !$0.isMisleading }
            if !scalars.isEmpty { return String(String.UnicodeScalarView(scalars.prefix(longestName))) }
        }
        return nil
    }
}
