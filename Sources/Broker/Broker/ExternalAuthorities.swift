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

/// The external authorities that the operator has configured, and those that users have added.
public struct ExternalAuthorities: Sendable {
    let cache: TokenCache
    /// The local authority, which writes the audit log.
    let issuer: Authority
    let settings: @Sendable () -> BrokerSettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let openID: OpenIDClient
    let looks: CallRateLimit
    let clock: MomentClock
    let logger: Logger

    /// The daemon's redirect URI, which is registered with external authorities.
    public var redirectURI: String { settings().outsideRedirectURI }

    /// Returns the external authorities that the caller can use: the operator's, and then those that the uid added.
    public func list(caller: Caller) async throws -> [AuthoritySummary] {
        let uid = try caller.owner.cacheUID
        let configured = settings().authorities
        let own = try await Broker.rows.storing { try cache.ownAuthorities.list(uid: uid) }
        return configured.values.filter { $0.serves(uid) }.sorted { $0.name < $1.name }
            .map { AuthoritySummary($0, isOwn: false) }
            + own.filter { configured[$0.name] == nil }.map { AuthoritySummary(described($0, uid), isOwn: true) }
    }

    /// Discovers an external authority, adds it for the caller's uid, and returns a summary that includes its features.
    ///
    /// - Throws: `not_permitted` if the operator uses the name; `limit_exceeded` if the uid adds too many authorities
    ///   or adds them too often; `provider_unavailable` or `provider_protocol` if discovery fails;
    ///   `InvalidParameters` if the uid already uses the name or the URL is not allowed.
    public func add(_ new: NewAuthority, caller: Caller) async throws -> AuthoritySummary {
        let uid = try caller.owner.cacheUID
        guard settings().authorities[new.authority] == nil else {
            throw Refusal(.notPermitted, Text("refusal.authorityOfOperator"))
        }
        let (stored, found) = try await discovered(try OwnAuthorityRow(new), uid, caller)
        guard try await Broker.rows.storing({ try await cache.ownAuthorities.add(uid: uid, stored) }) else {
            throw InvalidParameters(Text("refusal.authorityExists"))
        }
        await note(.authorityAdded, at: described(stored, uid), caller)
        return AuthoritySummary(described(stored, uid), isOwn: true, found: found)
    }

    /// Returns the authority in the first spelling of its issuer that its metadata contains, and its features.
    ///
    /// Issuers are compared exactly, but users often copy the URL of the metadata or another spelling of the issuer.
    private func discovered(
        _ row: OwnAuthorityRow,
        _ uid: UInt32,
        _ caller: Caller
    ) async throws -> (OwnAuthorityRow, AuthorityAbilities) {
        var first: Refusal?
        for spelling in IssuerURL.spellings(of: row.issuer) {
            var row = row
            row.issuer = spelling
            do {
                return (row, try await abilities(row, uid, caller))
            } catch let refusal as Refusal where refusal.reason == .providerProtocol || first != nil {
                first = first ?? refusal
            }
        }
        throw first ?? Refusal(.providerProtocol, Text("refusal.providerWrong", ["provider": row.displayName]))
    }

    func named(_ name: String, uid: UInt32) async throws -> OutsideAuthority? {
        try await Broker.rows.storing { try namedNow(name, uid: uid) }
    }

    /// Returns the external authority with the given name without suspending, or `nil` if there is none.
    ///
    /// - Throws: `locked` if the uid's cache is locked and the operator has not configured an authority with that name.
    func namedNow(_ name: String, uid: UInt32) throws(StoreError) -> OutsideAuthority? {
        if let configured = settings().authorities[name] { return configured }
        // The name of an authority is never a valid policy id, so a valid policy id can only name an external policy.
        if let id = try? PolicyID(name) { return running(catalogue().outside[id]) }
        return try cache.ownAuthorities.get(uid: uid, name: name).map { described($0, uid) }
    }

    /// Returns an account's authority, or `nil` if there is none or its issuer has changed.
    ///
    /// The issuer is checked so that the account's tokens are never sent to a different issuer.
    func authority(of account: AccountRow, uid: UInt32) async throws -> OutsideAuthority? {
        guard var authority = try await named(account.authority, uid: uid) else { return nil }
        switch authority.part {
        case .whole, .policy: break
        case .policies: authority = running(account.byLastUse, at: authority).first ?? authority
        }
        return AccountSelection.Place.outside(authority).has(account) ? authority : nil
    }

    /// Returns the external authority `name`, once for each of its `policies`, for revoking an account's tokens.
    ///
    /// The authority must have the issuer in `subject`; otherwise, the list is empty. If the operator has configured
    /// a different issuer under this name, the authority that the uid added is used, unless the cache is locked.
    func revoking(_ name: String, subject: String, policies: [String], uid: UInt32) -> [OutsideAuthority] {
        let issuer = OutsidePerson(subject)?.issuer
        if let configured = settings().authorities[name], configured.registration.issuer == issuer {
            switch configured.part {
            case .whole, .policy: return [configured]
            case .policies: return running(policies, at: configured)
            }
        }
        let own = try? cache.ownAuthorities.get(uid: uid, name: name)
        return own.flatMap { $0.issuer == issuer ? [described($0, uid)] : nil } ?? []
    }

    private func running(_ policies: [String], at authority: OutsideAuthority) -> [OutsideAuthority] {
        policies.compactMap { try? PolicyID($0) }.compactMap { running(catalogue().outside[$0]) }
            .filter { $0.name == authority.name }
    }

    private func running(_ policy: OutsidePolicy?) -> OutsideAuthority? {
        policy.flatMap { settings().authorities[$0.authority]?.running($0) }
    }

    private func abilities(_ row: OwnAuthorityRow, _ uid: UInt32, _ caller: Caller) async throws -> AuthorityAbilities {
        try looks.charge(uid, at: clock.now)
        let registration = described(row, uid).called(by: caller).registration
        do throws(ProviderError) {
            let found = try await openID.abilities(of: registration)
            return AuthorityAbilities(
                identifies: found.identifies,
                keepsSignedIn: AuthorityPreset(row).givesRefreshTokens ?? found.keepsSignedIn,
                revokes: found.revokes,
                endsSessions: found.endsSessions,
                scopes: Array(found.scopes.prefix(64))
            )
        } catch {
            switch error.code {
            case .unavailable: throw Refusal(error, of: registration)
            case .protocolViolation, .denied, .invalidGrant:
                throw Refusal(.providerProtocol, Text("refusal.noAuthorityAtURL"))
                    .because(error.description)
            }
        }
    }

    func described(_ row: OwnAuthorityRow, _ uid: UInt32) -> OutsideAuthority {
        let preset = AuthorityPreset(row)
        return OutsideAuthority(
            registration: ProviderRegistration(
                name: row.name,
                displayName: row.displayName,
                issuer: row.issuer,
                place: preset.place,
                clientID: row.clientID,
                redirectURI: redirectURI,
                secret: row.clientSecret,
                authentication: preset.authentication,
                scopes: row.scopes,
                parameters: preset.parameters.merging(row.parameters) { $1 },
                claims: preset.claims,
                uid: uid
            ),
            scopes: row.scopes,
            additionalScopes: row.additionalScopes,
            origins: row.origins
        )
    }

    /// Returns the uid's own authorities whose tokens can be sent to origins, or an empty array if the cache is locked.
    func ownAPIs(_ caller: Caller) -> [APISummary] {
        guard let uid = try? caller.owner.cacheUID, let own = try? cache.ownAuthorities.list(uid: uid) else {
            return []
        }
        let configured = settings().authorities
        return own.filter { configured[$0.name] == nil && !$0.origins.isEmpty }
            .map { APISummary(api: $0.name, origins: $0.origins, scopes: $0.scopes, policy: $0.name) }
    }

    /// Returns an authority that the uid can use and that has the same issuer and client as `new`, or `nil` for none.
    func known(_ new: NewAuthority, _ uid: UInt32) async throws -> OutsideAuthority? {
        let own = try await Broker.rows.storing { try cache.ownAuthorities.list(uid: uid) }.map(\.name)
        for name in settings().authorities.keys.sorted() + own {
            guard let authority = try await named(name, uid: uid), authority.signsPeopleIn else {
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

    /// Returns the policy name for requests to an authority: its first policy, or its own name if it has no policies.
    func usualPolicy(at authority: OutsideAuthority) -> String {
        switch authority.part {
        case .whole, .policy: authority.policy
        case .policies:
            catalogue().outside.values.filter { $0.authority == authority.name }.map(\.id).min()?.description
                ?? authority.name
        }
    }

    // MARK: Revocation and sign-out

    /// Revokes a token at an external authority, or returns `false`, for example if the authority is unreachable.
    func revoke(
        _ token: Secret,
        as kind: OpenIDClient.RevokedKind = .refreshToken,
        at authority: OutsideAuthority
    ) async -> Bool {
        do throws(ProviderError) {
            return try await openID.revoke(at: authority.registration, token, as: kind)
        } catch {
            let facts = authority.logged(["kind": "\(kind.rawValue)", "error": "\(error)"])
            logger.warning("a token was not revoked", metadata: facts)
            return false
        }
    }

    @discardableResult
    func note(_ event: AuditKind, at authority: OutsideAuthority, _ caller: Caller) async -> Bool {
        await issuer.note(event, caller, detail: ["authority": authority.name])
    }

    /// Notifies an external authority that the user has signed out, and returns `false` if the notification failed.
    func endSession(_ idToken: Secret, at authority: OutsideAuthority) async -> Bool {
        do throws(ProviderError) {
            try await openID.endSession(at: authority.registration, idToken)
            return true
        } catch {
            let facts = authority.logged(["error": "\(error)"])
            logger.warning("a session at an external authority was not ended", metadata: facts)
            return false
        }
    }
}

extension OutsideAuthority {
    /// Returns `facts` with the correlation id of the caller, for the log.
    fileprivate func logged(_ facts: Logger.Metadata) -> Logger.Metadata {
        var facts = facts
        facts["correlationId"] = registration.correlationID.map { "\($0)" }
        return facts
    }
}

extension AccountRow {
    var byLastUse: [String] { [lastPolicy] + policies.filter { $0 != lastPolicy } }
}

extension OwnAuthorityRow {
    fileprivate init(_ new: NewAuthority) throws(InvalidParameters) {
        let preset = AuthorityPreset(new.preset)
        guard let url = new.url ?? preset.url else {
            throw InvalidParameters(Text("refusal.authorityURLMissing"))
        }
        switch preset.place {
        case .issuer, .policy: break
        case .endpoints:
            guard url == preset.url else {
                throw InvalidParameters(Text("refusal.authorityURLOfPreset"))
            }
        }
        if let problem = OutsideURL.refusal(url) {
            throw InvalidParameters(Text("refusal.authorityURL", ["problem": problem]))
        }
        self.init(
            name: new.authority,
            displayName: new.displayName ?? (preset.displayName.isEmpty ? new.authority : preset.displayName),
            issuer: url,
            preset: new.preset?.rawValue,
            clientID: new.clientID,
            clientSecret: new.clientSecret,
            scopes: new.scopes.isEmpty ? preset.scopes : new.scopes,
            additionalScopes: new.additionalScopes,
            parameters: new.parameters,
            origins: new.origins
        )
    }
}

extension AuthoritySummary {
    fileprivate init(_ authority: OutsideAuthority, isOwn: Bool, found: AuthorityAbilities? = nil) {
        let registration = authority.registration
        self.init(
            name: registration.name,
            displayName: registration.displayName,
            url: registration.issuer,
            clientID: registration.clientID,
            scopes: authority.scopes,
            isOwn: isOwn,
            found: found
        )
    }
}
