import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies

/// A program's request to an endpoint of a policy, with the client that the request authenticated.
struct ProgramCall {
    let request: ProgramRequest
    let authority: Authority
    let policy: Policy
    let client: OAuthClient
    /// The function that signs in a user with an assertion, or `nil` if the endpoint does not support assertions.
    var signIn: AssertedSignIn.Run?

    var settings: AuthoritySettings { authority.settings() }
    var now: Moment { authority.clock.now }
    /// The party whose quota is charged for the database rows that the request creates.
    var share: RequestShare {
        switch client.summary.type {
        case .public, .browser: .origin(request.origin.levels)
        case .confidential: .client
        }
    }
    var issuer: String { settings.issuer(of: policy.id) }

    func resource() throws(OAuthError) -> String? { try settings.resource(request.form) }

    func resolve(
        scopes: [String],
        resource: String?,
        omittedScope: OmittedScope = .everything
    ) throws(Refusal) -> ResolvedRequest {
        var asked = TokenRequest(scopes: scopes)
        asked.omittedScope = omittedScope
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
    func open(_ arrived: ProgramRequest, at endpoint: AuthorityEndpoint) async throws -> ProgramCall {
        let request = try ProgramChecks.single(arrived)
        let policy = try ProgramChecks.issuer(request, self)
        let client = try await ProgramChecks.client(request, policy, at: endpoint, self)
        return ProgramCall(request: request, authority: self, policy: policy, client: client)
    }
}
