import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies

/// A program's request at a policy's endpoint, from an authenticated client.
struct ProgramCall {
    let request: ProgramRequest
    let authority: Authority
    let policy: Policy
    let client: OAuthClient
    /// Signs in a user with an assertion, or `nil` if this endpoint cannot run policies.
    var signIn: AssertedSignIn.Run?

    var settings: AuthoritySettings { authority.settings() }
    var now: Moment { authority.clock.now }
    /// The party whose quota of stored rows the request counts against.
    var share: RequestShare {
        switch client.summary.type {
        case .public: .origin(request.origin.levels)
        case .confidential: .client
        }
    }
    var issuer: String { settings.issuer(of: policy.id) }

    /// The requested resource, or `nil` for none.
    ///
    /// A token is for one resource (RFC 8707 §2).
    ///
    /// - Throws: `invalid_target`.
    func resource() throws(OAuthError) -> String? { try settings.resource(request.form) }

    /// Returns the token request for the parameters `scope` and `resource`, completed with the policy's defaults.
    ///
    /// - Parameters:
    ///   - scopes: The scopes as the client spelled them.
    ///   - resource: The resource, or `nil` for none.
    /// - Returns: The request.
    /// - Throws: `Refusal`.
    func resolve(scopes: [String], resource: String?) throws(Refusal) -> ResolvedRequest {
        var asked = TokenRequest(scopes: scopes)
        asked.policy = policy.id.description
        asked.client = client.id
        asked.resource = resource
        return try asked.resolved(
            settings: settings,
            catalogue: authority.catalogue(),
            clients: [client.id: client]
        )
    }
}

extension Authority {
    /// Runs the checks that all endpoints for programs share.
    func open(_ arrived: ProgramRequest, at endpoint: AuthorityEndpoint) async throws -> ProgramCall {
        let request = try ProgramChecks.single(arrived)
        let policy = try ProgramChecks.issuer(request, self)
        let client = try await ProgramChecks.client(request, policy, at: endpoint, self)
        return ProgramCall(request: request, authority: self, policy: policy, client: client)
    }
}
