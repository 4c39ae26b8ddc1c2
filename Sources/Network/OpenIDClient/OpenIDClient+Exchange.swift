import Moments
import OAuth

extension OpenIDClient {
    /// Exchanges a token of the provider that the authority calls `provider` for tokens of the authority (RFC 8693).
    ///
    /// - Throws: ``ProviderError``, with code `denied` if the authority rejects the provider's token.
    public func exchanged(
        at registration: ProviderRegistration,
        _ subject: BroughtToken,
        of provider: String,
        for asked: OutsideDemand
    ) async throws(ProviderError) -> OutsideTokens {
        let now = clock.now
        return try await calling(registration) { () async throws(ProviderError) in
            let metadata = try await self.documents.metadata(of: registration)
            let answer = try await self.post(
                [
                    ("grant_type", GrantType.tokenExchange.wireName), ("subject_token", subject.text.reveal()),
                    ("subject_token_type", subject.type), ("subject_issuer", provider),
                    ("scope", asked.scopes(offeredBy: metadata).joined(separator: " ")),
                ],
                to: metadata.token,
                registration,
                metadata
            )
            guard answer.status == 200 else {
                throw TokenEndpointAnswer.error(
                    of: answer,
                    "\(registration.name) did not exchange the token",
                    denied: ["invalid_request"] + TokenEndpointAnswer.needsPerson
                )
            }
            let tokens = try TokenEndpointAnswer(answer, of: registration)
            return try await self.tokens(tokens, registration, metadata, nonce: .before(nil), asked, at: now)
        }
    }
}

extension BroughtToken {
    fileprivate var text: Secret {
        switch self {
        case .idToken(let text), .accessToken(let text): text
        }
    }

    /// The value of `subject_token_type` for the token (RFC 8693 §3).
    fileprivate var type: String {
        switch self {
        case .idToken: "urn:ietf:params:oauth:token-type:id_token"
        case .accessToken: "urn:ietf:params:oauth:token-type:access_token"
        }
    }
}
