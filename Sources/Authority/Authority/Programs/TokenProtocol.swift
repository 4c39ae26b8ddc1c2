import OAuth
import StoreRefusals

/// The logic of the authority's endpoints for programs, independent of HTTP.
///
/// Each method handles the requests to one endpoint.
public struct TokenProtocol: Sendable {
    let authority: Authority
    /// The function that signs in a user with an assertion, or `nil` if these endpoints do not support assertions.
    let signIn: AssertedSignIn.Run?
}

extension Authority {
    /// The endpoints for programs, without support for signing in users with assertions.
    public var programs: TokenProtocol { TokenProtocol(authority: self, signIn: nil) }

    /// Returns the endpoints for programs, with support for signing in users with assertions.
    ///
    /// The endpoints call `signIn` to sign in a user.
    public func programs(signIn: @escaping AssertedSignIn.Run) -> TokenProtocol {
        TokenProtocol(authority: self, signIn: signIn)
    }

    /// The device requests that are waiting for a user's decision.
    public var devices: Devices { Devices(authority: self) }
}

extension TokenProtocol {
    /// Handles a request to the token endpoint (RFC 6749 §3.2).
    ///
    /// The endpoint's checks run first, and then the grant's checks.
    ///
    /// - Throws: `OAuthError`, or `Refusal` if the request violates a rule that also applies to requests over the Unix
    ///   socket.
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
