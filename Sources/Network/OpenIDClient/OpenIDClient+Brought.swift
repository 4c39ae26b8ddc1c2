import Moments
import OAuth
import Tokens

extension OpenIDClient {
    /// Returns the person whom a provider's own token proves, which a caller has brought.
    ///
    /// It counts only if it was issued to us: an ID token by its audience, an access token by the provider's word.
    /// Otherwise any app that a person ever signed in to could sign in here as that person.
    ///
    /// - Parameters:
    ///   - registration: The provider.
    ///   - token: The token.
    ///   - fresh: The fresh proof that it must be of; nil if a sign-in of before will do.
    /// - Returns: The person.
    /// - Throws: ``ProviderError``; `denied` for a token that is not valid, not ours, or not of such a proof.
    public func identity(
        at registration: ProviderRegistration,
        brought token: BroughtToken,
        fresh: FreshProof? = nil
    ) async throws(ProviderError) -> ProviderIdentity {
        try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.metadata(of: registration)
            let claims: [String: JSONValue]
            var authTime: Int64?
            switch token {
            case .idToken(let text):
                claims = try await self.claims(ofBrought: text, fresh, registration, metadata)
                authTime = IDTokenChecks.authTime(of: claims, at: self.clock.now)
            case .accessToken(let text):
                guard fresh == nil else {
                    throw ProviderError(.denied, "an access token does not say when the person signed in")
                }
                let subject = try await self.confirm(text, registration, metadata)
                claims = try await self.person(of: text, subject, registration, metadata)
            }
            var identity = try PersonClaims(claims: claims, of: registration).identity()
            identity.authTime = authTime
            return identity
        }
    }

    private func claims(
        ofBrought text: Secret,
        _ fresh: FreshProof?,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> [String: JSONValue] {
        guard let keys = metadata.keys else {
            throw ProviderError(.denied, "\(registration.name) issues no ID tokens")
        }
        let token: UnverifiedJWT
        do { token = try UnverifiedJWT(text.reveal()) } catch {
            throw ProviderError(.denied, "the ID token of \(registration.name): \(error)")
        }
        let key: VerificationKey
        do throws(ProviderError) {
            key = try await self.key(token.kid, at: keys, registration)
        } catch {
            // The caller has chosen the key's name; keys that cannot be read are the provider's fault.
            guard error == Self.unknownKey(registration) || token.kid == nil else { throw error }
            throw ProviderError(.denied, error.detail)
        }
        do throws(ProviderError) {
            return try IDTokenChecks.verify(
                token,
                key: key,
                registration,
                issuer: metadata.issuer,
                nonce: .any,
                fresh: fresh,
                beside: .nothing,
                now: clock.now
            ).claims
        } catch {
            throw ProviderError(.denied, error.detail)
        }
    }

    /// Returns the claims of the person whom a confirmed access token is of.
    private func person(
        of text: Secret,
        _ subject: String?,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> [String: JSONValue] {
        guard let userinfo = metadata.userinfo else {
            guard let subject else {
                throw ProviderError(.protocolViolation, "\(registration.name) does not say who the person is")
            }
            return [registration.claims.subject: .string(subject)]
        }
        let claims = try await self.userinfo(at: userinfo, text, registration)
        if let subject, try PersonClaims(claims: claims, of: registration).identity().subject != subject {
            throw ProviderError(.protocolViolation, "the userinfo of \(registration.name) are another person's")
        }
        return claims
    }

    /// Asks the provider whose app an access token was issued to.
    ///
    /// - Returns: The person's id, if the provider says it with that.
    /// - Throws: ``ProviderError``; `denied` unless it is ours.
    private func confirm(
        _ token: Secret,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> String? {
        let answer: OutsideHTTP.Answer
        let read: (OutsideHTTP.Answer) -> TokenConfirmation.Finding?
        switch registration.confirmation {
        case .introspection:
            guard let endpoint = metadata.introspection else { throw Self.unconfirmed(registration) }
            let form = [(name: "token", value: token.reveal()), ("token_type_hint", "access_token")]
            answer = try await post(form, to: endpoint, registration, metadata)
            read = TokenConfirmation.Finding.introspection
        case .googleTokenInfo(let url):
            let query = Form.encoded([("access_token", token.reveal())])
            answer = try await http.get("\(url)?\(query)", for: registration)
            read = TokenConfirmation.Finding.googleTokenInfo
        case .facebookDebugToken(let url):
            let app = "\(registration.clientID)|\(registration.secret?.reveal() ?? "")"
            let query = Form.encoded([("input_token", token.reveal()), ("access_token", app)])
            answer = try await http.get("\(url)?\(query)", for: registration)
            read = TokenConfirmation.Finding.facebookDebugToken
        case .githubApplications(let url):
            let proof = ClientProofAtProvider(registration, as: .basic, offered: [])
            let body: JSONValue = ["access_token": .string(token.reveal())]
            let address = "\(url)/\(registration.clientID)/token"
            answer = try await http.post(
                address,
                json: body,
                authorization: proof.authorization,
                for: registration
            )
            read = TokenConfirmation.Finding.githubApplications
        case .none: throw Self.unconfirmed(registration)
        }
        guard answer.json?.object != nil else {
            throw ProviderError(.protocolViolation, "\(registration.name) does not say whose the token is in JSON")
        }
        guard let found = read(answer), Secret(found.client) == Secret(registration.clientID) else {
            throw ProviderError(.denied, "the access token of \(registration.name) was issued to another client")
        }
        return found.subject
    }

    private static func unconfirmed(_ registration: ProviderRegistration) -> ProviderError {
        ProviderError(.denied, "\(registration.name) has no way to say whose access token this is")
    }
}
