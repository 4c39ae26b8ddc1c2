public import FlowModel
import Flows
import Moments
import OAuth
import OpenIDClient
import Policies
import Storage
import StoreRefusals
import TokenCache

extension Broker {
    /// The address to which outside authorities send people back.
    public var outsideRedirectURI: String { settings().outsideRedirectURI }

    /// The outside authorities that the caller can name: the operator's, and those of the uid itself.
    public func outsideAuthorities(caller: Caller) async throws -> [AuthoritySummary] {
        let uid = try caller.owner.cacheUID
        let configured = settings().authorities
        let own = try await Self.rows.storing { try cache.ownAuthorities.list(uid: uid) }
        return configured.values.filter { $0.serves(uid) }.sorted { $0.name < $1.name }
            .map { AuthoritySummary($0, isOwn: false) }
            + own.filter { configured[$0.name] == nil }.map { AuthoritySummary(described($0, uid), isOwn: true) }
    }

    /// Looks at an outside authority, and adds it for the caller's uid.
    ///
    /// - Returns: The authority, with what it can do.
    /// - Throws: `not_permitted` for a name of the operator's, `limit_exceeded`, `provider_unavailable`,
    ///   `provider_protocol`; `invalid_request` for an address that is not called.
    public func addAuthority(_ new: NewAuthority, caller: Caller) async throws -> AuthoritySummary {
        let uid = try caller.owner.cacheUID
        guard settings().authorities[new.authority] == nil else {
            throw Refusal(.notPermitted, "the operator has an authority of this name")
        }
        var row = try OwnAuthorityRow(new)
        let found: AuthorityAbilities
        do {
            found = try await abilities(row, uid, caller)
        } catch let refusal as Refusal where refusal.reason == .providerProtocol && new.url != nil {
            // An issuer is compared letter by letter, and people leave out or add its last slash.
            let url = row.issuer.hasSuffix("/") ? String(row.issuer.dropLast()) : row.issuer + "/"
            let other = row.at(url)
            do { found = try await abilities(other, uid, caller) } catch { throw refusal }
            row = other
        }
        do {
            guard try await cache.ownAuthorities.add(uid: uid, row) else {
                throw OAuthError.invalidRequest(
                    "The parameter name is that of an authority that you have; remove it first"
                )
            }
        } catch let error as StoreError {
            throw Self.rows.refusal(error)
        }
        await note(.authorityAdded, at: described(row, uid), caller)
        return AuthoritySummary(described(row, uid), isOwn: true, found: found)
    }

    /// Signs the accounts at an authority of the caller's uid out, and removes it.
    ///
    /// - Returns: The things that could not be ended there, in words.
    /// - Throws: `account_not_found` if the uid has no such authority.
    public func removeAuthority(_ name: String, caller: Caller) async throws -> [String] {
        let uid = try caller.owner.cacheUID
        guard let row = try await Self.rows.storing({ try cache.ownAuthorities.get(uid: uid, name: name) }) else {
            throw Refusal(.accountNotFound, "you have added no authority of this name")
        }
        // Accounts that the operator's authority of this name has, too, stay.
        let place = AccountChoice.Place.outside(described(row, uid))
        let operators = settings().authorities[name].map { AccountChoice.Place.outside($0) }
        let accounts = try await everyAccount(of: uid)
            .filter { place.has($0) && operators?.has($0) != true }.map(\.account)
        var left: [String] = []
        if !accounts.isEmpty { left = try await signOut(.accounts(accounts), uid: uid, caller).left }
        do {
            _ = try await cache.ownAuthorities.remove(uid: uid, name: name)
        } catch {
            throw Self.rows.refusal(error)
        }
        await note(.authorityRemoved, at: described(row, uid), caller)
        return left
    }

    /// The outside authority of a name: the operator's, else the one that the uid has added; nil if it is no authority's.
    func outside(_ name: String, uid: UInt32) async throws -> OutsideAuthority? {
        try await Self.rows.storing { try outsideNow(name, uid: uid) }
    }

    /// The same, where nothing is waited for.
    ///
    /// - Throws: `locked` for a name that is not the operator's.
    func outsideNow(_ name: String, uid: UInt32) throws(StoreError) -> OutsideAuthority? {
        if let configured = settings().authorities[name] { return configured }
        // No authority has the name of a policy.
        if let id = try? PolicyID(name) { return outside(catalogue().outside[id]) }
        return try cache.ownAuthorities.get(uid: uid, name: name).map { described($0, uid) }
    }

    /// The outside authority whose tokens an account has; nil if there is none any more.
    ///
    /// What one issuer gave is never served as, or sent to, another that has taken its name.
    func outside(of account: AccountRow, uid: UInt32) async throws -> OutsideAuthority? {
        guard var authority = try await outside(account.authority, uid: uid) else { return nil }
        switch authority.part {
        case .whole, .policy: break
        case .policies: authority = running(account.byLastUse, at: authority).first ?? authority
        }
        return AccountChoice.Place.outside(authority).has(account) ? authority : nil
    }

    /// The outside authority at which an account's tokens are revoked: also one whose name an operator's has taken.
    ///
    /// - Returns: The one of the name that has the issuer, with policies once for each; none if there is none, or the cache is
    ///   locked.
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

    /// The authority at each of these policies that is one of its own.
    private func running(_ policies: [String], at authority: OutsideAuthority) -> [OutsideAuthority] {
        policies.compactMap { try? PolicyID($0) }.compactMap { outside(catalogue().outside[$0]) }
            .filter { $0.name == authority.name }
    }

    private func outside(_ policy: OutsidePolicy?) -> OutsideAuthority? {
        policy.flatMap { settings().authorities[$0.authority]?.running($0) }
    }

    /// Reads what an authority says of itself: one look of the uid's share.
    private func abilities(_ row: OwnAuthorityRow, _ uid: UInt32, _ caller: Caller) async throws -> AuthorityAbilities {
        try budgets.looks.charge(uid, at: clock.now)
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
                throw Refusal(.providerProtocol, "there is no OpenID authority whose issuer is exactly this URL")
                    .because(error.description)
            }
        }
    }

    private func described(_ row: OwnAuthorityRow, _ uid: UInt32) -> OutsideAuthority {
        let preset = AuthorityPreset(row)
        return OutsideAuthority(
            registration: ProviderRegistration(
                name: row.name,
                displayName: row.displayName,
                issuer: row.issuer,
                place: preset.place,
                clientID: row.clientID,
                redirectURI: outsideRedirectURI,
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

    /// The authorities that the caller's uid has added, as far as their tokens may be sent somewhere; none while its cache is
    /// locked.
    func ownAPIs(_ caller: Caller) -> [APISummary] {
        guard let uid = try? caller.owner.cacheUID, let own = try? cache.ownAuthorities.list(uid: uid) else {
            return []
        }
        let configured = settings().authorities
        return own.filter { configured[$0.name] == nil && !$0.origins.isEmpty }
            .map { APISummary(api: $0.name, origins: $0.origins, scopes: $0.scopes, policy: $0.name) }
    }
}

extension AccountRow {
    /// The policies by which the account has signed in, the last one first.
    var byLastUse: [String] { [lastPolicy] + policies.filter { $0 != lastPolicy } }
}

extension OwnAuthorityRow {
    /// Takes what the caller says, with the facts of the preset.
    fileprivate init(_ new: NewAuthority) throws(OAuthError) {
        let preset = AuthorityPreset(new.preset)
        guard let url = new.url ?? preset.url else {
            throw OAuthError.invalidRequest("The parameter url is missing: the authority's issuer")
        }
        switch preset.place {
        case .issuer, .policy: break
        case .endpoints:
            guard url == preset.url else {
                throw OAuthError.invalidRequest("The parameter url is that of the preset, or left out")
            }
        }
        if let refusal = OutsideURL.refusal(url) { throw OAuthError.invalidRequest("The parameter url \(refusal)") }
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

    /// The same authority under another spelling of its issuer.
    fileprivate func at(_ issuer: String) -> OwnAuthorityRow {
        OwnAuthorityRow(
            name: name,
            displayName: displayName,
            issuer: issuer,
            preset: preset,
            clientID: clientID,
            clientSecret: clientSecret,
            scopes: scopes,
            additionalScopes: additionalScopes,
            parameters: parameters,
            origins: origins
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
