import OAuth
import StoreRefusals

/// The authority's endpoints for programs, without HTTP: each takes a form and returns a document.
public struct TokenProtocol: Sendable {
    let authority: Authority
    /// Signs in a user with an assertion, or `nil` if these endpoints cannot run policies.
    let signIn: AssertedSignIn.Run?
}

extension Authority {
    /// The endpoints for programs, without the ability to sign in users with assertions.
    public var programs: TokenProtocol { TokenProtocol(authority: self, signIn: nil) }

    /// Returns the endpoints for programs.
    ///
    /// - Parameter signIn: Signs in a user with an assertion.
    /// - Returns: The endpoints.
    public func programs(signIn: @escaping AssertedSignIn.Run) -> TokenProtocol {
        TokenProtocol(authority: self, signIn: signIn)
    }

    /// The device requests that are waiting for a user's decision.
    public var devices: Devices { Devices(authority: self) }
}

extension TokenProtocol {
    /// Handles a request at the token endpoint (RFC 6749 §3.2): first the checks of the endpoint, then those of the
    /// grant.
    ///
    /// - Throws: `OAuthError`, or a `Refusal` if a rule that also applies to requests over the socket rejects the
    ///   request.
    public func token(_ request: ProgramRequest) async throws -> TokenResponse {
        try await Authority.rows.storing {
            let opened = try await authority.open(request, at: .token)
            let grant = try ProgramChecks.grant(opened.request)
            var call = try ProgramChecks.registered(opened, for: grant.grantType)
            call.signIn = signIn
            return try await grant.answer(call)
        }
    }
}
