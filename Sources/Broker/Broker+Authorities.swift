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
        return configured.values.sorted { $0.name < $1.name }.map { AuthoritySummary($0, isOwn: false) }
            + own.filter { configured[$0.name] == nil }.map { AuthoritySummary(described($0), isOwn: true) }
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
            found = try await abilities(row, uid)
        } catch let refusal as Refusal where refusal.reason == .providerProtocol && new.url != nil {
            // An issuer is compared letter by letter, and people leave out or add its last slash.
            let url = row.issuer.hasSuffix("/") ? String(row.issuer.dropLast()) : row.issuer + "/"
            let other = row.at(url)
            do { found = try await abilities(other, uid) } catch { throw refusal }
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
        await note(.authorityAdded, at: described(row), caller)
        return AuthoritySummary(described(row), isOwn: true, found: found)
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
        let place = AccountChoice.Place.outside(described(row))
        let operators = settings().authorities[name].map { AccountChoice.Place.outside($0) }
        let accounts = try await Self.rows.storing { try cache.accounts.list(uid: uid) }
            .filter { place.has($0) && operators?.has($0) != true }.map(\.account)
        var left: [String] = []
        if !accounts.isEmpty { left = try await signOut(.accounts(accounts), uid: uid, caller).left }
        do {
            _ = try await cache.ownAuthorities.remove(uid: uid, name: name)
        } catch {
            throw Self.rows.refusal(error)
        }
        await note(.authorityRemoved, at: described(row), caller)
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
        guard (try? PolicyID(name)) == nil else { return nil }
        return try cache.ownAuthorities.get(uid: uid, name: name).map(described)
    }

    /// The outside authority whose tokens an account has; nil if there is none any more.
    ///
    /// What one issuer gave is never served as, or sent to, another that has taken its name.
    func outside(of account: AccountRow, uid: UInt32) async throws -> OutsideAuthority? {
        guard let authority = try await outside(account.authority, uid: uid) else { return nil }
        return AccountChoice.Place.outside(authority).has(account) ? authority : nil
    }

    /// The outside authority at which an account's tokens are revoked: also one whose name an operator's has taken.
    ///
    /// - Returns: The one of the name that has the issuer; nil if there is none, or the cache is locked.
    func revoking(_ name: String, subject: String, uid: UInt32) -> OutsideAuthority? {
        let issuer = OutsidePerson(subject)?.issuer
        if let configured = settings().authorities[name], configured.registration.issuer == issuer { return configured }
        let own = try? cache.ownAuthorities.get(uid: uid, name: name)
        return own?.issuer == issuer ? own.map(described) : nil
    }

    /// Reads what an authority says of itself: one look of the uid's share.
    private func abilities(_ row: OwnAuthorityRow, _ uid: UInt32) async throws -> AuthorityAbilities {
        try looks.charge(uid, at: clock.now)
        let registration = described(row).registration
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

    private func described(_ row: OwnAuthorityRow) -> OutsideAuthority {
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
                scopes: row.scopes,
                parameters: preset.parameters.merging(row.parameters) { $1 },
                claims: preset.claims
            ),
            scopes: row.scopes,
            additionalScopes: row.additionalScopes
        )
    }
}

extension OwnAuthorityRow {
    /// Takes what the caller says, with the facts of the preset.
    fileprivate init(_ new: NewAuthority) throws(OAuthError) {
        let preset = AuthorityPreset(new.preset)
        guard let url = new.url ?? preset.url else {
            throw OAuthError.invalidRequest("The parameter url is missing: the authority's issuer")
        }
        switch preset.place {
        case .issuer: break
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
            parameters: new.parameters
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
            parameters: parameters
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
