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
        case .public: .origin(request.origin.levels)
        case .confidential: .client
        }
    }
    var issuer: String { settings.issuer(of: policy.id) }

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
        return try asked.resolved(
            settings: settings,
            catalogue: authority.catalogue(),
            clients: [client.id: client]
        )
    }
}

extension Authority {
    /// Opens a program's request: it passes the checks of every endpoint for programs.
    func open(_ arrived: ProgramRequest, at endpoint: AuthorityEndpoint) async throws -> ProgramCall {
        let request = try ProgramChecks.single(arrived)
        let policy = try ProgramChecks.issuer(request, self)
        let client = try await ProgramChecks.client(request, policy, at: endpoint, self)
        return ProgramCall(request: request, authority: self, policy: policy, client: client)
    }
}
