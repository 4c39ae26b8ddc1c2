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
    let findings: ProgramFindings
    /// Signs a person in by a statement; nil where nothing runs policies.
    var signIn: AssertedSignIn.Run?

    var settings: AuthoritySettings { authority.settings() }
    var now: Moment { authority.clock.now }
    /// The one whose share the rows of the request take.
    var share: RequestShare {
        switch client.summary.type {
        case .public: .origin(request.origin.levels)
        case .confidential: .client
        }
    }
    var issuer: String { settings.issuer(of: policy.id) }
    /// `token`, to be revoked or asked about.
    var token: Secret {
        get throws(OAuthError) {
            guard let token = findings.token else {
                throw .serverError(detail: "the check of the parameter token was left out")
            }
            return token
        }
    }

    /// The resource that was asked for; a token is for one (RFC 8707 §2).
    ///
    /// - Throws: `invalid_target`.
    func resource() throws(OAuthError) -> String? { try settings.resource(request.form) }

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
    /// Opens a program's request: it passes the checks of its endpoint.
    func open(_ request: ProgramRequest, at endpoint: AuthorityEndpoint) async throws -> ProgramCall {
        var draft = ProgramDraft(request: request, endpoint: endpoint, authority: self)
        for check in EndpointChecks.ofPrograms[endpoint] ?? [] { try await check.apply(to: &draft) }
        guard let policy = draft.policy, let client = draft.client else {
            throw OAuthError.serverError(detail: "a check of programs' requests was left out")
        }
        return ProgramCall(
            request: request,
            authority: self,
            policy: policy,
            client: client,
            findings: draft.findings
        )
    }
}
