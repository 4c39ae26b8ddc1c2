import Moments
public import OAuth
import Tokens

extension OpenIDClient {
    /// Redeems the code in an authorization response, and returns the verified tokens and the claims about the user.
    ///
    /// - Throws: ``ProviderError``. If the code was already sent to the authority, it cannot be redeemed again.
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
                throw ProviderError(.protocolViolation, "\(registration.name) returned no ID token")
            }
            return issued
        }
    }

    /// Redeems a refresh token, which might be consumed even if this method throws.
    ///
    /// `before` contains the claims of the previous ID token. `keepRotated` is called once to store a new refresh
    /// token, before the response is verified.
    ///
    /// - Throws: ``ProviderError``, with code `invalidGrant` if the token is invalid, or `denied` if the user must act.
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

    /// Redeems a refresh token with a separate deadline, and stores its replacement before verification.
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
                    "\(registration.name) did not renew the tokens",
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

    /// Redeems a refresh token that another program obtained, and determines which user it was issued for.
    ///
    /// The token might be consumed even if this method throws. If `scopes` is empty, all of its scopes are requested.
    /// `keepRotated` stores a new refresh token before the response is verified.
    ///
    /// - Throws: ``ProviderError``, with code `invalidGrant` if the refresh token is not valid.
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
            // If a renewal returns no ID token (OpenID Connect Core §12.2), the userinfo endpoint identifies the user.
            guard let userinfo = metadata.userinfo else {
                throw ProviderError(.protocolViolation, "\(registration.name) does not identify the user of the tokens")
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

    /// The kinds of tokens that can be revoked, with their `token_type_hint` values (RFC 7009 §2.1).
    public enum RevokedKind: String, Sendable {
        /// A refresh token (`refresh_token`).
        case refreshToken = "refresh_token"
        /// An access token that came without a refresh token.
        case accessToken = "access_token"
    }

    /// Revokes a token (RFC 7009), and returns whether the authority has a revocation endpoint.
    ///
    /// - Throws: ``ProviderError`` if the endpoint could not be reached or refused the request.
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
                throw TokenEndpointAnswer.error(of: answer, "\(registration.name) did not revoke the token")
            }
            // The body has no meaning (RFC 7009 §2.2), but an HTML page cannot come from the endpoint.
            guard !answer.isPage else {
                throw ProviderError(.protocolViolation, "\(registration.name) sent HTML for a revocation")
            }
            return true
        }
    }

    /// Ends a user's session at an authority, unless the user must confirm (OpenID Connect RP-Initiated Logout §2).
    ///
    /// - Throws: ``ProviderError`` if the end session endpoint could not be reached or refused the request.
    public func endSession(at registration: ProviderRegistration, _ idToken: Secret) async throws(ProviderError) {
        try await calling(registration) { () async throws(ProviderError) in
            guard let place = try await self.documents.metadata(of: registration).endSession else { return }
            let form = [(name: "id_token_hint", value: idToken.reveal()), ("client_id", registration.clientID)]
            let status = try await self.http.submit(place, form, for: registration)
            guard (200...399).contains(status) else {
                throw ProviderError(.protocolViolation, "\(registration.name) refused the sign-out: status \(status)")
            }
        }
    }

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
            throw ProviderError(.protocolViolation, "\(registration.name) returned no access token")
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
            // GitHub separates scopes with commas.
            scopes = scopes?.flatMap { $0.split(separator: ",").map(String.init) }
            // An access token that comes with neither a lifetime nor a refresh token is valid until it is revoked.
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
    /// Returns the ID token if it is also used as the access token, or `nil` otherwise.
    ///
    /// An authority with policies can issue only an ID token if the requested scope is the client's own id.
    fileprivate func idTokenAsAccess(at registration: ProviderRegistration, _ asked: OutsideDemand) -> Secret? {
        switch registration.place {
        case .issuer, .endpoints: nil
        case .policy: asked.scopes.contains(registration.clientID) ? idToken : nil
        }
    }
}

extension OutsideDemand {
    /// Returns the granted scopes, which are the requested ones if `answered` is `nil` (RFC 6749 §5.1).
    ///
    /// Requested OpenID Connect scopes are added, because some authorities do not repeat them in the response.
    func granted(_ answered: [String]?) -> [String] {
        guard let answered else { return scopes }
        let aboutPerson = scopes.filter { ["openid", "profile", "email", "offline_access"].contains($0) }
        return Set(answered + aboutPerson).sorted()
    }
}
