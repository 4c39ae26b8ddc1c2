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
            let metadata = try await self.documents.metadata(of: registration)
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
                let subject = try await registration.confirmation.subject(
                    of: text,
                    registration,
                    metadata,
                    over: self.connections,
                    at: self.clock.now
                )
                claims = try await self.person(of: text, subject, registration, metadata)
            }
            var identity = try PersonClaims(claims: claims, registration: registration).identity()
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
            key = try await documents.key(token.kid, at: keys, registration)
        } catch {
            // The caller has chosen the key's name; keys that cannot be read are the provider's fault.
            guard error == ProviderDocuments.unknownKey(registration) || token.kid == nil else { throw error }
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
        if let subject, try PersonClaims(claims: claims, registration: registration).identity().subject != subject {
            throw ProviderError(.protocolViolation, "the userinfo of \(registration.name) are another person's")
        }
        return claims
    }
}
