import Moments
public import OAuth

/// Tokens that no person is asked for.
extension OpenIDClient {
    /// Asks for a token for ourselves (RFC 6749 §4.4).
    ///
    /// - Parameters:
    ///   - registration: The authority.
    ///   - asked: The token that is asked for.
    /// - Returns: The token, never with a refresh token (RFC 6749 §4.4.3).
    /// - Throws: ``ProviderError``; `denied` if the authority does not give what is asked for.
    public func serviceToken(
        at registration: ProviderRegistration,
        for asked: OutsideDemand
    ) async throws(ProviderError) -> OutsideTokens {
        try await granted(
            [("grant_type", GrantType.clientCredentials.wireName)],
            of: .service,
            at: registration,
            for: asked
        )
    }

    /// Exchanges a token of another authority, whose person it keeps (RFC 8693 §2).
    ///
    /// - Parameters:
    ///   - subject: The token; an access token.
    ///   - registration: The authority.
    ///   - issuer: The name of the subject token's authority there; nil if it is not told.
    ///   - asked: The token that is asked for.
    /// - Returns: The token, without a refresh token: it is exchanged anew.
    /// - Throws: ``ProviderError``; `invalidGrant` if the authority does not take the subject token, `denied` if it gives nothing
    ///   for it.
    public func exchanged(
        _ subject: Secret,
        at registration: ProviderRegistration,
        of issuer: String?,
        for asked: OutsideDemand
    ) async throws(ProviderError) -> OutsideTokens {
        var form: [(name: String, value: String)] = [
            ("grant_type", GrantType.tokenExchange.wireName), ("subject_token", subject.reveal()),
            ("subject_token_type", Self.accessTokenType), ("requested_token_type", Self.accessTokenType),
        ]
        if let issuer { form.append(("subject_issuer", issuer)) }
        // A subject token that is not acceptable is `invalid_request` (§2.2.2).
        return try await granted(
            form,
            of: .caller,
            at: registration,
            for: asked,
            worthless: ["invalid_request", "invalid_grant"]
        )
    }

    /// The type of an access token (RFC 8693 §3).
    private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
    /// The types that the token of an answer may have.
    private static let issuedTypes = [accessTokenType, "urn:ietf:params:oauth:token-type:jwt"]

    private func granted(
        _ form: [(name: String, value: String)],
        of holder: GrantHolder,
        at registration: ProviderRegistration,
        for asked: OutsideDemand,
        worthless: [String] = []
    ) async throws(ProviderError) -> OutsideTokens {
        let now = clock.now
        return try await calling(registration, of: holder) { () async throws(ProviderError) in
            let metadata = try await self.documents.metadata(of: registration)
            let scopes = asked.serviceScopes
            let scope = scopes.isEmpty ? [] : [(name: "scope", value: scopes.joined(separator: " "))]
            let fields = form + scope + (asked.resource?.fields ?? [])
            let answer = try await self.post(fields, to: metadata.token, registration, metadata)
            guard answer.status == 200 else {
                throw TokenEndpointAnswer.error(
                    of: answer,
                    "\(registration.name) gives no token",
                    denied: ["invalid_scope", "invalid_target", "access_denied"],
                    worthless: worthless
                )
            }
            let given = try TokenEndpointAnswer(answer, of: registration)
            guard let accessToken = given.accessToken else {
                throw ProviderError(.protocolViolation, "\(registration.name) answered without an access token")
            }
            if let type = answer.json?["issued_token_type"], !Self.issuedTypes.contains(type.string ?? "") {
                throw ProviderError(.protocolViolation, "\(registration.name) answered with another type of token")
            }
            let life = try accessToken.accessTokenLife(given.life, of: registration, at: now)
            return OutsideTokens(
                accessToken: accessToken,
                refreshToken: nil,
                idToken: nil,
                claims: nil,
                scopes: Set(given.scopes ?? asked.scopes).sorted(),
                expires: Deadline(.seconds(life), after: now)
            )
        }
    }
}
