import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies

/// A program's request at a policy's endpoint, by a client that has proved who it is.
struct ProgramCall {
    let request: ProgramRequest
    let authority: Authority
    let policy: Policy
    let client: OAuthClient
    /// Signs a person in by a statement; nil where nothing runs policies.
    var signIn: AssertedSignIn.Run?

    var settings: AuthoritySettings { authority.settings() }
    var now: Moment { authority.clock.now }
    /// The one whose share the rows of the request take.
    var share: RequestShare {
        switch client.summary.type {
        case .public: .origin
        case .confidential: .client
        }
    }
    var issuer: String { settings.issuer(of: policy.id) }

    /// The request for tokens that the parameters `scope` and `resource` make, completed with what is left to the policy.
    ///
    /// - Parameters:
    ///   - scopes: The scopes, as they were spelled.
    ///   - resource: The resource.
    /// - Returns: The request.
    /// - Throws: `Refusal`.
    func resolve(scopes: [String], resource: String?) throws(Refusal) -> ResolvedRequest {
        var asked = TokenRequest(scopes: scopes)
        asked.policy = policy.id.description
        asked.client = client.id
        asked.resource = resource
        return try AuthorizationEndpoint.resolve(
            asked,
            settings: settings,
            catalogue: authority.catalogue(),
            clients: [client.id: client]
        )
    }
}

extension Authority {
    /// Opens a program's request: no parameter twice, the policy, then the client (RFC 6749 §3.2).
    func open(_ request: ProgramRequest, at endpoint: AuthorityEndpoint) async throws -> ProgramCall {
        try request.requireSingle()
        let settings = settings()
        let policy = try PolicyCheck.issuer(request.policy, settings: settings, catalogue: catalogue())
        let authenticator = ClientAuthenticator(store: store, failures: clientFailures, now: clock.now)
        let root = settings.root(of: policy.id)
        let client = try await authenticator.client(
            request,
            among: try await memory.snapshot().clients,
            // RFC 7523 §3: the token endpoint's address may name the authority at its other endpoints too.
            audiences: [settings.issuer(of: policy.id), root + AuthorityEndpoint.token.path, root + endpoint.path]
        )
        return ProgramCall(request: request, authority: self, policy: policy, client: client)
    }
}
