import OAuth
import StoreRefusals

extension TokenProtocol {
    /// Answers the token endpoint (RFC 6749 §3.2): the checks of its endpoint, then the grant's own.
    ///
    /// - Throws: `OAuthError`, or a `Refusal` of the rules that the socket has as well.
    public func token(_ request: ProgramRequest) async throws -> TokenResponse {
        try await Authority.rows.storing {
            var call = try await authority.open(request, at: .token)
            call.signIn = signIn
            guard let grant = call.findings.grant else {
                throw OAuthError.serverError(detail: "a check of programs' requests was left out")
            }
            return try await grant.answer(call)
        }
    }
}
