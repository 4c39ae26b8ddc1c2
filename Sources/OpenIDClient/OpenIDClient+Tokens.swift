import Moments
public import OAuth

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
            let metadata = try await self.metadata(of: registration)
            try answer.requireIssuer(metadata, registration)
            let tokens = try await self.redeem(code, registration, request, metadata)
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
    /// - Returns: The tokens; the refresh token is nil if the old one stays.
    /// - Throws: ``ProviderError``; `invalidGrant` if the refresh token is worthless, `denied` if nothing is given without the person.
    public func renewed(
        at registration: ProviderRegistration,
        _ refreshToken: Secret,
        for asked: OutsideDemand,
        after before: [String: JSONValue] = [:]
    ) async throws(ProviderError) -> OutsideTokens {
        let now = clock.now
        return try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.metadata(of: registration)
            var form = [(name: "grant_type", value: "refresh_token"), ("refresh_token", refreshToken.reveal())]
            if !asked.scopes.isEmpty {
                form.append(("scope", asked.scopes(offeredBy: metadata).joined(separator: " ")))
            }
            if let resource = asked.resource { form.append(("resource", resource)) }
            let answer = try await self.post(form, to: metadata.token, registration, metadata)
            guard answer.status == 200 else {
                let word = TokenEndpointAnswer.word(of: answer)
                let code: ProviderError.Code =
                    switch word {
                    case "invalid_grant": .invalidGrant
                    case _ where TokenEndpointAnswer.needsPerson.contains(word): .denied
                    default: .protocolViolation
                    }
                throw ProviderError(code, "\(registration.name) does not renew: \(word)")
            }
            let tokens = try TokenEndpointAnswer(answer, of: registration)
            let nonce = IDTokenChecks.Nonce.before(before["nonce"]?.string)
            return try await self.tokens(tokens, registration, metadata, nonce: nonce, asked, at: now)
        }
    }

    /// Revokes a refresh token (RFC 7009).
    ///
    /// - Parameters:
    ///   - registration: The authority.
    ///   - refreshToken: The refresh token.
    /// - Returns: False if the authority has no endpoint for it.
    /// - Throws: ``ProviderError`` if it was not reached, or did not take it.
    public func revoke(
        at registration: ProviderRegistration,
        _ refreshToken: Secret
    ) async throws(ProviderError) -> Bool {
        try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.metadata(of: registration)
            guard let revocation = metadata.revocation else { return false }
            let form = [(name: "token", value: refreshToken.reveal()), ("token_type_hint", "refresh_token")]
            let answer = try await self.post(form, to: revocation, registration, metadata)
            guard answer.status == 200 else {
                let word = TokenEndpointAnswer.word(of: answer)
                throw ProviderError(.protocolViolation, "\(registration.name) does not revoke: \(word)")
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
            guard let place = try await self.metadata(of: registration).endSession else { return }
            let form = [(name: "id_token_hint", value: idToken.reveal()), ("client_id", registration.clientID)]
            let status = try await self.http.submit(place, form)
            guard (200...399).contains(status) else {
                throw ProviderError(.protocolViolation, "\(registration.name) does not end a session: status \(status)")
            }
        }
    }

    private func tokens(
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
                nonce: nonce,
                accessToken: answer.accessToken
            )
        }
        guard let accessToken = answer.accessToken else {
            throw ProviderError(.protocolViolation, "\(registration.name) answered without an access token")
        }
        var life = answer.life
        var scopes = answer.scopes
        switch registration.place {
        case .issuer: break
        case .endpoints:
            guard let userinfo = metadata.userinfo else { break }
            let said = try await self.userinfo(at: userinfo, accessToken, registration)
            let person = try PersonClaims(claims: said, of: registration).identity()
            claims = ["sub": .string(person.subject)]
            claims?["name"] = person.attributes["displayName"].map { .string($0) }
            claims?["preferred_username"] = person.attributes["displayName"].map { .string($0) }
            // GitHub parts scopes by commas.
            scopes = scopes?.flatMap { $0.split(separator: ",").map(String.init) }
            // Such a token lasts until somebody revokes it.
            if !answer.namesLife, answer.refreshToken == nil { life = TokenEndpointAnswer.lifeWithoutEnd }
        }
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
