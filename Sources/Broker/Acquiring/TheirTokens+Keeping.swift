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

extension TheirTokens {
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
    ///   - before: The refresh token that was redeemed; it stays if no other came.
    ///   - signOuts: The uid's sign-outs before the tokens were asked for; a later one of this account wins.
    /// - Returns: The token as it is in the cache.
    /// - Throws: `interaction_required` if the account was signed out meanwhile, `storage_failed`.
    func keep(
        _ tokens: OutsideTokens,
        over account: AccountRow? = nil,
        _ before: RefreshTokenRow? = nil,
        signOuts: Int64
    ) async throws -> TokenRow {
        let uid = try caller.owner.cacheUID
        guard isStill(uid) else {
            if let refreshToken = tokens.refreshToken { _ = await broker.revoke(refreshToken, at: authority) }
            throw Refusal(.interactionRequired, "the authority \(authority.name) is not configured any more")
        }
        var old: TokenRow?
        if let account { old = try await newest(of: account) }
        guard let person = person(tokens.claims) ?? account.flatMap({ OutsidePerson($0.subject) }),
            account.map({ $0.subject == person.text }) ?? true
        else {
            throw Refusal(
                ProviderError(.protocolViolation, "\(authority.name) answered for another person"),
                of: authority.registration
            )
        }
        let claims = tokens.claims ?? old?.claimValues.object ?? [:]
        let username = Self.name(claims, ["preferred_username", "email", "upn"]) ?? account?.username ?? person.subject
        let now = broker.clock.now
        let id = broker.cache.accounts.id(uid: uid, authority: authority.name, subject: person.text)
        let seconds = claims["auth_time"]?.int ?? (account == nil ? claims["iat"]?.int : nil)
        let row = TokenRow(
            uid: uid,
            account: id,
            client: wanted.client,
            authority: authority.name,
            policy: authority.name,
            resource: wanted.resource,
            scopes: tokens.scopes,
            accessToken: tokens.accessToken,
            idToken: tokens.idToken ?? old?.idToken,
            expires: tokens.expires,
            expiresAt: tokens.expires.wall,
            acr: claims["acr"]?.string ?? "",
            amr: claims["amr"]?.strings ?? [],
            authTime: seconds.map { $0 * 1000 } ?? old?.authTime ?? 0,
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
                policy: authority.name,
                isSignIn: account == nil
            ),
            token: row,
            refreshToken: refreshToken.map {
                RefreshTokenRow(
                    client: wanted.client,
                    policy: authority.name,
                    token: $0,
                    expires: Deadline(Self.refreshLife, after: now)
                )
            }
        )
        do throws(StoreError) {
            try await broker.cache.store(unit, expectedGeneration: signOuts)
            if let account { broker.kept.unkept.forget(wanted.family(uid, account)) }
            return row
        } catch {
            // The refresh token before is spent: the new one is held, and the caller gets the token.
            if let account, error.code != .signedOut, broker.kept.unkept.hold(unit, of: wanted.family(uid, account)) {
                broker.logger.warning("a renewed token could not be cached", metadata: ["error": "\(error)"])
                await broker.note(.tokenNotCached, at: authority, caller)
                var row = row
                row.isKept = false
                return row
            }
            if let refreshToken { _ = await broker.revoke(refreshToken, at: authority) }
            throw Broker.rows.refusal(error)
        }
    }

    /// Stores what the cache could not take before.
    ///
    /// - Returns: The token of the last renewal if the cache lacked it; nil if it lacked nothing.
    /// - Throws: `interaction_required` if the account was signed out meanwhile.
    func keptAtLast(_ family: FamilyKey, signOuts: Int64) async throws -> TokenRow? {
        guard let unit = broker.kept.unkept[family], var row = unit.token else { return nil }
        do throws(StoreError) {
            try await broker.cache.store(unit, expectedGeneration: signOuts)
            broker.kept.unkept.forget(family)
        } catch {
            // A renewal now would only spend another refresh token that cannot be stored.
            row.isKept = false
        }
        return row
    }

    /// False if the authority was removed, or its name given to another, while it was asked.
    private func isStill(_ uid: UInt32) -> Bool {
        do throws(StoreError) {
            let now = try broker.outsideNow(authority.name, uid: uid)?.registration
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
        return try await Broker.rows.storing { try broker.cache.tokens.list(uid: uid, account: account.account) }
            .filter { $0.client == wanted.client && $0.policy == wanted.policy }
            .max { ($0.receivedAt ?? 0) < ($1.receivedAt ?? 0) }
    }

    /// The first of these claims that is there, without what could mislead a reader.
    private static func name(_ claims: [String: JSONValue], _ names: [String]) -> String? {
        for name in names {
            let scalars = (claims[name]?.string ?? "").unicodeScalars.filter { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
                default: true
                }
            }
            if !scalars.isEmpty { return String(String.UnicodeScalarView(scalars.prefix(longestName))) }
        }
        return nil
    }
}

extension Broker {
    /// Revokes a refresh token at its authority.
    ///
    /// - Returns: False if the authority was not reached, or cannot do it.
    func revoke(_ token: Secret, at authority: OutsideAuthority) async -> Bool {
        do throws(ProviderError) {
            return try await openID.revoke(at: authority.registration, token)
        } catch {
            logger.warning("a refresh token was not revoked", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Records an event at an outside authority; a failure to record it does not undo what happened.
    func note(_ event: AuditKind, at authority: OutsideAuthority, _ caller: Caller) async {
        do {
            try await self.authority.audit(event, caller, detail: ["authority": authority.name])
        } catch {
            logger.warning("the audit could not be written", metadata: ["error": "\(error)"])
        }
    }
}
