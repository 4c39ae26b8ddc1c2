import OAuth
import StoreRefusals

/// The endpoints of an authority for programs: a form comes in, a document goes out.
public struct TokenProtocol: Sendable {
    let authority: Authority
    /// Signs a person in by a statement; nil where nothing runs policies.
    let signIn: AssertedSignIn.Run?
}

extension Authority {
    /// The endpoints for programs, at which no user signs in by an assertion.
    public var programs: TokenProtocol { TokenProtocol(authority: self, signIn: nil) }

    /// The endpoints for programs.
    ///
    /// - Parameter signIn: Signs a person in by a statement.
    /// - Returns: The endpoints.
    public func programs(signIn: @escaping AssertedSignIn.Run) -> TokenProtocol {
        TokenProtocol(authority: self, signIn: signIn)
    }

    /// The requests of devices.
    public var devices: Devices { Devices(authority: self) }
}

extension TokenProtocol {
    /// Answers the token endpoint (RFC 6749 §3.2): the checks of its endpoint, then the grant's own.
    ///
    /// - Throws: `OAuthError`, or a `Refusal` of the rules that the socket has as well.
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
