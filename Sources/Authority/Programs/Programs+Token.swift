import OAuth
import StoreRefusals

extension Programs {
    /// Answers the token endpoint (RFC 6749 §3.2): client, grant, then the grant's own checks.
    ///
    /// - Throws: `OAuthError`, or a `Refusal` of the rules that the socket has as well.
    public func token(_ request: ProgramRequest) async throws -> TokenResponse {
        try await Authority.rows.storing {
            var call = try await authority.open(request, at: .token)
            call.signIn = signIn
            let name = try request.required("grant_type")
            guard let grant = TokenEndpoint.wireGrants.first(where: { $0.grantType.wireName == name }) else {
                throw OAuthError.b2c(.unsupportedGrantType, 90086, "this grant type is not supported")
            }
            guard call.client.grants.contains(grant.grantType) else {
                throw OAuthError.unauthorizedClient("the client may not use this grant type")
            }
            return try await grant.answer(call)
        }
    }
}
