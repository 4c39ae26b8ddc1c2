import Moments
import OAuth
import Tokens

extension OpenIDClient {
    /// Returns the user identified by a token that a provider issued to this client and that a caller presented.
    ///
    /// If tokens of other clients were accepted, any app that a user ever signed in to could sign in as that user.
    ///
    /// - Throws: ``ProviderError``, with code `denied` if the token is invalid, was issued to another client, or does
    ///   not satisfy `fresh`.
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
                    throw ProviderError(.denied, "an access token does not show when the user signed in")
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
            // An unknown key is the caller's error, because the caller chose the token. If the keys cannot be read, it
            // is the provider's error.
            guard error == ProviderDocuments.unknownKey(registration) else { throw error }
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

    /// Returns the claims about the user of an access token that is known to have been issued to this client.
    private func person(
        of text: Secret,
        _ subject: String?,
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> [String: JSONValue] {
        guard let userinfo = metadata.userinfo else {
            guard let subject else {
                throw ProviderError(.protocolViolation, "\(registration.name) does not identify the user")
            }
            return [registration.claims.subject: .string(subject)]
        }
        let claims = try await self.userinfo(at: userinfo, text, registration)
        if let subject, try PersonClaims(claims: claims, registration: registration).identity().subject != subject {
            throw ProviderError(.protocolViolation, "the userinfo of \(registration.name) is about another user")
        }
        return claims
    }
}
