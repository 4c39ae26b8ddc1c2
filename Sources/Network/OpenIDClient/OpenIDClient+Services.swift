import Moments
public import OAuth

extension OpenIDClient {
    /// Requests an access token for this client itself, without a refresh token (RFC 6749 §4.4).
    ///
    /// - Throws: ``ProviderError``, with code `denied` if the authority refuses the request.
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

    /// Exchanges another authority's access token for a token for the same user, without a refresh token (RFC 8693 §2).
    ///
    /// `issuer` is this authority's name for the other authority (`subject_issuer`), or `nil` to omit the name.
    ///
    /// - Throws: ``ProviderError``, with code `invalidGrant` if the authority rejects the subject token, or `denied` if
    ///   it issues no token.
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
        // RFC 8693 §2.2.2 specifies `invalid_request` for an unacceptable subject token.
        return try await granted(
            form,
            of: .caller,
            at: registration,
            for: asked,
            worthless: ["invalid_request", "invalid_grant"]
        )
    }

    /// The token type identifier of an access token (RFC 8693 §3).
    private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
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
                    "\(registration.name) did not issue a token",
                    denied: ["invalid_scope", "invalid_target", "access_denied"],
                    worthless: worthless
                )
            }
            let given = try TokenEndpointAnswer(answer, of: registration)
            guard let accessToken = given.accessToken else {
                throw ProviderError(.protocolViolation, "\(registration.name) returned no access token")
            }
            if let type = answer.json?["issued_token_type"], !Self.issuedTypes.contains(type.string ?? "") {
                throw ProviderError(.protocolViolation, "\(registration.name) issued another type of token")
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
