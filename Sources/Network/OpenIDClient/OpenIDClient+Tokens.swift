import Moments
public import OAuth
import Tokens

extension OpenIDClient {
    /// Returns the tokens that an authority's answer stands for: redeems the code and verifies what it gives.
    ///
    /// - Parameters:
    ///   - registration: The authority.
    ///   - request: The request, whose state the answer has brought back.
    ///   - answer: The answer.
    ///   - asked: The tokens that were asked for.
    /// - Returns: The tokens, with the claims of the person.
    /// - Throws: ``ProviderError``; a code that was redeemed is spent then.
    public func tokens(
        at registration: ProviderRegistration,
        _ request: ProviderRequest,
        _ answer: ProviderAnswer,
        for asked: OutsideDemand
    ) async throws(ProviderError) -> OutsideTokens {
        let code = try answer.code(of: registration)
        let now = clock.now
        return try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.documents.metadata(of: registration)
            try answer.requireIssuer(metadata, registration)
            let tokens = try await self.redeem(code, registration, request, metadata, for: asked.resource)
            let issued = try await self.tokens(tokens, registration, metadata, nonce: .of(request), asked, at: now)
            guard issued.claims != nil else {
                throw ProviderError(.protocolViolation, "\(registration.name) answered without an ID token")
            }
            return issued
        }
    }

    /// Redeems a refresh token.
    ///
    /// - Parameters:
    ///   - registration: The authority.
    ///   - refreshToken: The refresh token; it may be spent even if this throws.
    ///   - asked: The tokens that are asked for.
    ///   - before: The claims of the ID token before, as far as they are known.
    ///   - keepRotated: Keeps the refresh token that came in the place of the redeemed one, which is spent. It is called
    ///     before anything of the answer is verified and before keys are fetched, at most once.
    /// - Returns: The tokens; the refresh token is nil if the old one stays.
    /// - Throws: ``ProviderError``; `invalidGrant` if the refresh token is worthless, `denied` if nothing is given without the person.
    public func renewed(
        at registration: ProviderRegistration,
        _ refreshToken: Secret,
        for asked: OutsideDemand,
        after before: [String: JSONValue] = [:],
        keepRotated: @Sendable (Secret) async -> Void = { _ in }
    ) async throws(ProviderError) -> OutsideTokens {
        let now = clock.now
        let (tokens, metadata) = try await redeemed(refreshToken, at: registration, keepRotated) { metadata in
            let isScoped = !asked.scopes.isEmpty || asked.resource?.scopes.isEmpty == false
            let scope = isScoped ? asked.renewedScopes(offeredBy: metadata) : []
            return (isScoped ? [("scope", scope.joined(separator: " "))] : []) + (asked.resource?.fields ?? [])
        }
        try await fetchKey(of: tokens, registration, metadata)
        let nonce = IDTokenChecks.Nonce.before(before["nonce"]?.string)
        return try await calling(registration) { () async throws(ProviderError) in
            try await self.tokens(tokens, registration, metadata, nonce: nonce, asked, at: now)
        }
    }

    /// Redeems a refresh token, and has the one that came in its place kept before anything of the answer is verified.
    ///
    /// It is a call of its own: what comes is not lost if the time of the next one runs out.
    private func redeemed(
        _ refreshToken: Secret,
        at registration: ProviderRegistration,
        _ keepRotated: @Sendable (Secret) async -> Void,
        with fields: @escaping @Sendable (ProviderMetadata) -> [(name: String, value: String)]
    ) async throws(ProviderError) -> (TokenEndpointAnswer, ProviderMetadata) {
        let (answer, metadata) = try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.documents.metadata(of: registration)
            let form = [(name: "grant_type", value: "refresh_token"), ("refresh_token", refreshToken.reveal())]
            let answer = try await self.post(form + fields(metadata), to: metadata.token, registration, metadata)
            guard answer.status == 200 else {
                throw TokenEndpointAnswer.error(
                    of: answer,
                    "\(registration.name) does not renew",
                    denied: TokenEndpointAnswer.needsPerson,
                    worthless: ["invalid_grant"]
                )
            }
            return (answer, metadata)
        }
        if let rotated = TokenEndpointAnswer.refreshToken(of: answer), rotated != refreshToken {
            await keepRotated(rotated)
        }
        return (try TokenEndpointAnswer(answer, of: registration), metadata)
    }

    /// Has the key of an answer's ID token at hand, if it can be found; its failure says nothing of the answer.
    private func fetchKey(
        of answer: TokenEndpointAnswer,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata
    ) async throws(ProviderError) {
        guard let text = answer.idToken, let keys = metadata.keys, let token = try? UnverifiedJWT(text.reveal()) else {
            return
        }
        _ = try await calling(registration) { () async throws(ProviderError) in
            try await self.documents.key(token.kid, at: keys, registration)
        }
    }

    /// Redeems a refresh token that another program has got, and learns whose it is.
    ///
    /// - Parameters:
    ///   - registration: The authority.
    ///   - refreshToken: The refresh token; it may be spent even if this throws.
    ///   - scopes: The scopes that it was given for; none to ask for all.
    ///   - keepRotated: Keeps the refresh token that came in its place, before anything of the answer is verified.
    /// - Returns: The tokens, with the claims of the person; the refresh token is nil if the old one stays.
    /// - Throws: ``ProviderError``; `invalidGrant` if the refresh token is worthless.
    public func takenOver(
        at registration: ProviderRegistration,
        _ refreshToken: Secret,
        for scopes: [String],
        keepRotated: @Sendable (Secret) async -> Void
    ) async throws(ProviderError) -> OutsideTokens {
        let now = clock.now
        let asked = OutsideDemand(scopes: scopes)
        let (tokens, metadata) = try await redeemed(refreshToken, at: registration, keepRotated) { _ in
            scopes.isEmpty ? [] : [("scope", scopes.joined(separator: " "))]
        }
        return try await calling(registration) { () async throws(ProviderError) in
            let issued = try await self.tokens(tokens, registration, metadata, nonce: .before(nil), asked, at: now)
            guard issued.claims == nil else { return issued }
            // OpenID Connect Core §12.2 leaves it to the authority to say again who the person is.
            guard let userinfo = metadata.userinfo else {
                throw ProviderError(.protocolViolation, "\(registration.name) does not say whose the tokens are")
            }
            let claims = try await self.userinfo(at: userinfo, issued.accessToken, registration)
            return OutsideTokens(
                accessToken: issued.accessToken,
                refreshToken: issued.refreshToken,
                idToken: nil,
                claims: claims,
                scopes: issued.scopes,
                expires: issued.expires
            )
        }
    }

    /// The kinds of tokens that are revoked, as `token_type_hint` names them (RFC 7009 §2.1).
    public enum RevokedKind: String, Sendable {
        /// One that renews.
        case refreshToken = "refresh_token"
        /// One that an API takes, of which no refresh token is there.
        case accessToken = "access_token"
    }

    /// Revokes a token (RFC 7009).
    ///
    /// - Parameters:
    ///   - registration: The authority.
    ///   - token: The token.
    ///   - kind: Its kind.
    /// - Returns: False if the authority has no endpoint for it.
    /// - Throws: ``ProviderError`` if it was not reached, or did not take it.
    public func revoke(
        at registration: ProviderRegistration,
        _ token: Secret,
        as kind: RevokedKind = .refreshToken
    ) async throws(ProviderError) -> Bool {
        try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.documents.metadata(of: registration)
            guard let revocation = metadata.revocation else { return false }
            let form = [(name: "token", value: token.reveal()), ("token_type_hint", kind.rawValue)]
            let answer = try await self.post(form, to: revocation, registration, metadata)
            guard answer.status == 200 else {
                throw TokenEndpointAnswer.error(of: answer, "\(registration.name) does not revoke")
            }
            // The body says nothing (RFC 7009 §2.2), but a page for browsers is not the endpoint's.
            guard !answer.isPage else {
                throw ProviderError(.protocolViolation, "\(registration.name) answered a revocation with a page")
            }
            return true
        }
    }

    /// Tells an authority that a person has signed out (OpenID Connect RP-Initiated Logout §2).
    ///
    /// It may still ask the person in a browser whose session it is; nobody here can answer that.
    ///
    /// - Parameters:
    ///   - registration: The authority.
    ///   - idToken: The ID token by which it knows the session.
    /// - Throws: ``ProviderError`` if it has a place for that, which was not reached or did not take it.
    public func endSession(at registration: ProviderRegistration, _ idToken: Secret) async throws(ProviderError) {
        try await calling(registration) { () async throws(ProviderError) in
            guard let place = try await self.documents.metadata(of: registration).endSession else { return }
            let form = [(name: "id_token_hint", value: idToken.reveal()), ("client_id", registration.clientID)]
            let status = try await self.http.submit(place, form, for: registration)
            guard (200...399).contains(status) else {
                throw ProviderError(.protocolViolation, "\(registration.name) does not end a session: status \(status)")
            }
        }
    }

    /// Verifies what a token endpoint has answered.
    func tokens(
        _ answer: TokenEndpointAnswer,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata,
        nonce: IDTokenChecks.Nonce,
        _ asked: OutsideDemand,
        at now: Moment
    ) async throws(ProviderError) -> OutsideTokens {
        var claims: [String: JSONValue]?
        if let text = answer.idToken, let keys = metadata.keys {
            claims = try await verified(
                text,
                keys: keys,
                registration,
                metadata,
                nonce: nonce,
                accessToken: answer.accessToken
            )
        }
        guard let accessToken = answer.accessToken ?? answer.idTokenAsAccess(at: registration, asked) else {
            throw ProviderError(.protocolViolation, "\(registration.name) answered without an access token")
        }
        var life = answer.life
        if answer.accessToken == nil, let ends = claims?["exp"]?.int { life = max(ends - now.seconds, 0) }
        var scopes = answer.scopes
        switch registration.place {
        case .issuer, .policy: break
        case .endpoints:
            guard let userinfo = metadata.userinfo else { break }
            let said = try await self.userinfo(at: userinfo, accessToken, registration)
            let person = try PersonClaims(claims: said, registration: registration).identity()
            claims = ["sub": .string(person.subject)]
            claims?["name"] = person.attributes["displayName"].map { .string($0) }
            claims?["preferred_username"] = person.attributes["displayName"].map { .string($0) }
            // GitHub parts scopes by commas.
            scopes = scopes?.flatMap { $0.split(separator: ",").map(String.init) }
            // Such a token lasts until somebody revokes it.
            if !answer.namesLife, answer.refreshToken == nil { life = TokenEndpointAnswer.lifeWithoutEnd }
        }
        life = try accessToken.accessTokenLife(life, of: registration, at: now)
        return OutsideTokens(
            accessToken: accessToken,
            refreshToken: answer.refreshToken,
            idToken: metadata.keys == nil ? nil : answer.idToken,
            claims: claims,
            scopes: asked.granted(scopes),
            expires: Deadline(.seconds(life), after: now)
        )
    }
}

extension TokenEndpointAnswer {
    /// The ID token where it stands for the access token: an authority with policies was asked for a token for its client.
    fileprivate func idTokenAsAccess(at registration: ProviderRegistration, _ asked: OutsideDemand) -> Secret? {
        switch registration.place {
        case .issuer, .endpoints: nil
        case .policy: asked.scopes.contains(registration.clientID) ? idToken : nil
        }
    }
}

extension OutsideDemand {
    /// The scopes that a token has: those of the answer, or those asked for if it names none (RFC 6749 §5.1).
    ///
    /// The scopes of OpenID Connect are about the person, not the token, and some authorities do not repeat them.
    func granted(_ answered: [String]?) -> [String] {
        guard let answered else { return scopes }
        let aboutPerson = scopes.filter { ["openid", "profile", "email", "offline_access"].contains($0) }
        return Set(answered + aboutPerson).sorted()
    }
}
