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
    /// The time for which a refresh token is kept since it was last used: its authority says nothing of its life.
    private static let refreshLife: Duration = .seconds(400 * 86_400)
    /// The longest subject, in bytes (OpenID Connect Core §2 allows 255).
    private static let longestSubject = 255
    /// The longest name, in Unicode scalars.
    private static let longestName = 256

    /// Stores what the authority has issued, durably, before it is handed out.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - account: The account whose family was renewed; nil for a sign-in.
    ///   - old: The newest token of that account before, whose claims hold if the tokens say nothing of the person.
    ///   - before: The refresh token that was redeemed; it stays if no other came.
    ///   - signOuts: The uid's sign-outs before the tokens were asked for; a later one of this account wins.
    /// - Returns: The token as it is in the cache.
    /// - Throws: `interaction_required` if the account was signed out meanwhile, `storage_failed`.
    func keep(
        _ tokens: OutsideTokens,
        over account: AccountRow? = nil,
        after old: TokenRow? = nil,
        _ before: RefreshTokenRow? = nil,
        signOuts: Int64
    ) async throws -> TokenRow {
        let uid = try caller.owner.cacheUID
        // What came for another program's token is kept until it can be verified.
        let isTakenOver = account == nil && before != nil
        guard isStill(uid) else {
            if let refreshToken = tokens.refreshToken { _ = await desk.external.revoke(refreshToken, at: authority) }
            throw Refusal(.interactionRequired, Text("refusal.authorityGone", ["authority": authority.name]))
        }
        guard let person = person(tokens.claims) ?? account.flatMap({ OutsidePerson($0.subject) }),
            account.map({ $0.subject == person.text }) ?? true
        else {
            // Of a renewal, too (OpenID Connect Core §12.2); the account keeps what it had.
            if !isTakenOver, let refreshToken = tokens.refreshToken, refreshToken != before?.token {
                _ = await desk.external.revoke(refreshToken, at: authority)
                if let account, let before { await keepRotated(before.token, of: account, signOuts: signOuts) }
            }
            throw Refusal(
                ProviderError(.protocolViolation, "\(authority.name) answered for another person"),
                of: authority.registration
            )
        }
        guard tokens.mayBe(for: indicator) else {
            // That of a renewal is stored already.
            if account == nil, !isTakenOver, let refreshToken = tokens.refreshToken {
                _ = await desk.external.revoke(refreshToken, at: authority)
            }
            throw Refusal(
                ProviderError(.protocolViolation, "\(authority.name) answered with an access token for another API"),
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
            // The refresh token before is spent, or a person has signed in: what came is held, and the caller gets the token.
            // A refresh token of another program stays where it is, and a lock ends sign-ins, but no account.
            let isLost = account != nil || (before == nil && error.code != .locked)
            if isLost, error.code != .signedOut, await hold(unit, of: family, signOuts: signOuts, error) {
                guard error.code != .locked else { throw Broker.locked }
                var row = row
                row.isKept = false
                return row
            }
            // One that was there before the call is left to whoever has it, and its successor is kept, unless all has ended.
            if let refreshToken, !isTakenOver || error.code == .signedOut && tokens.refreshToken != nil {
                _ = await desk.external.revoke(refreshToken, at: authority)
            }
            throw Broker.rows.refusal(error)
        }
    }

    /// The claims of a renewal's ID token, but of the sign-in what only a sign-in decides: a renewal proves nothing anew
    /// (OpenID Connect Core §12.2).
    private static func claims(
        _ claims: [String: JSONValue],
        ofSignIn before: [String: JSONValue]
    ) -> [String: JSONValue] {
        var claims = claims
        for name in ["auth_time", "acr"] { claims[name] = before[name] }
        // One that was not known, as of an account that was taken over, is known from now on.
        claims["nonce"] = before["nonce"] ?? claims["nonce"]
        return claims
    }

    /// The time at which the person signed in there, in milliseconds since 1970 UTC and never later than now; 0 if the
    /// authority does not say it, or says one that cannot be.
    private static func authTime(_ claims: [String: JSONValue], at now: Moment) -> Int64 {
        guard let seconds = claims["auth_time"]?.numericDate, seconds - leeway <= now.seconds else { return 0 }
        return min(seconds * 1000, now.wall)
    }

    /// The tolerance for an authority's clock, in seconds.
    private static let leeway: Int64 = 60

    private func refreshTokenRow(_ refreshToken: Secret, at now: Moment) -> RefreshTokenRow {
        RefreshTokenRow(
            client: wanted.client,
            policy: authority.policy,
            token: refreshToken,
            expires: Deadline(Self.refreshLife, after: now)
        )
    }

    /// Stores the refresh token that replaces the redeemed one, before the rest of the answer is verified.
    ///
    /// If the cache cannot store it, it stays in memory, together with an access token that was not stored before. If the
    /// authority was removed, it is revoked.
    func keepRotated(_ refreshToken: Secret, of account: AccountRow, signOuts: Int64) async {
        guard isStill(account.uid) else {
            // Nothing else revokes it if the rest of the answer cannot be verified.
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

    /// Holds in memory what the cache cannot take, and records that once for the tokens of a family.
    ///
    /// - Returns: False if too many are held.
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

    /// Stores what the cache could not take before; what was signed out since then is revoked instead.
    ///
    /// - Returns: The token of the last renewal if the cache lacked it; nil if it lacked none.
    func keptAtLast(_ family: FamilyKey) async -> TokenRow? {
        guard let held = desk.store.unkept[family] else { return nil }
        do throws(StoreError) {
            try await desk.cache.store(held.unit, expectedGeneration: held.signOuts)
            desk.store.unkept.forget(family)
            // The audit may have been on the same full disk.
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
            // A renewal now would only spend another refresh token that cannot be stored.
            var row = held.unit.token
            row?.isKept = false
            return row
        }
    }

    /// False if the authority was removed, or its name given to another, while it was asked.
    private func isStill(_ uid: UInt32) -> Bool {
        do throws(StoreError) {
            let now = try desk.external.namedNow(authority.policy, uid: uid)?.registration
            return now?.issuer == authority.registration.issuer && now?.clientID == authority.registration.clientID
        } catch {
            // The cache says nothing now, and what was issued must not be lost.
            return true
        }
    }

    private func person(_ claims: [String: JSONValue]?) -> OutsidePerson? {
        guard let subject = claims?["sub"]?.string, (1...Self.longestSubject).contains(subject.utf8.count) else {
            return nil
        }
        return OutsidePerson(subject: subject, issuer: authority.registration.issuer)
    }

    /// The newest token of an account's family, whose claims hold if a renewal says nothing of the person.
    func newest(of account: AccountRow) async throws -> TokenRow? {
        let uid = try caller.owner.cacheUID
        return try await Broker.rows.storing { try desk.cache.tokens.list(uid: uid, account: account.account) }
            .filter { $0.client == wanted.client && $0.policy == wanted.policy }
            .max { ($0.receivedAt ?? 0) < ($1.receivedAt ?? 0) }
    }

    /// The first of these claims that is there, without what could mislead a reader.
    private static func name(_ claims: [String: JSONValue], _ names: [String]) -> String? {
        for name in names {
            let scalars = (claims[name]?.string ?? "").unicodeScalars.filter { !$0.isMisleading }
            if !scalars.isEmpty { return String(String.UnicodeScalarView(scalars.prefix(longestName))) }
        }
        return nil
    }
}
