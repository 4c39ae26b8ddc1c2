import OAuth
import StoreRefusals

/// The authority's endpoints for programs, independent of HTTP, with one method per endpoint.
public struct TokenProtocol: Sendable {
    let authority: Authority
    /// The function that signs in a user with an assertion, or `nil` if these endpoints do not support assertions.
    let signIn: AssertedSignIn.Run?
}

extension Authority {
    /// The endpoints for programs, without support for signing in users with assertions.
    public var programs: TokenProtocol { TokenProtocol(authority: self, signIn: nil) }

    /// Returns the endpoints for programs, which call `signIn` to sign in users with assertions.
    public func programs(signIn: @escaping AssertedSignIn.Run) -> TokenProtocol {
        TokenProtocol(authority: self, signIn: signIn)
    }

    /// The device requests that are waiting for a user's decision.
    public var devices: Devices { Devices(authority: self) }
}

extension TokenProtocol {
    /// Handles a request to the token endpoint: first the endpoint's checks, then those of the grant (RFC 6749 §3.2).
    ///
    /// - Throws: `OAuthError`, or `Refusal` for a rule that also applies to requests over the Unix socket.
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
