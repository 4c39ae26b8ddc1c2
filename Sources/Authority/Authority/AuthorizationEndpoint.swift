import AuthorityStore
import FlowModel
import Moments
import Policies

/// The checks that every request and every session must pass before tokens are issued.
///
/// The two lists are the specification; they read top to bottom.
enum AuthorizationEndpoint {
    /// The checks of a request, once its policy and its client are known.
    static let requestChecks: [any RequestCheck] = [
        ScopeCheck(),
        ResourceCheck(),
        ClientScopeCheck(),
        PolicyScopeCheck(),
        KnownChecksCheck(),
        ClaimsCheck(),
        AuthenticationContextCheck(),
        MaxAgeCheck(),
    ]

    /// The checks of proofs, whatever holds them: a session, a refresh-token family or a finished flow.
    static let proofChecks: [any SessionCheck] = [
        SignInProofCheck(),
        ScopeProofCheck(),
        ReachedContextCheck(),
        AgeCheck(),
    ]

    /// The checks that a live session must pass to answer a request without a question.
    static let sessionChecks: [any SessionCheck] = [SessionScopeCheck()] + proofChecks

    /// Completes the request with everything left to its policy, or throws the reason why it can never be granted.
    static func resolve(
        _ request: TokenRequest,
        settings: AuthoritySettings,
        catalogue: PolicyCatalogue,
        clients: [String: OAuthClient]
    ) throws(Refusal) -> ResolvedRequest {
        let named = try PolicyCheck.policy(request.policy, settings: settings, catalogue: catalogue)
        let policy = try StepUpCheck.issuing(for: named, request, settings: settings, catalogue: catalogue)
        let client = try ClientCheck.client(request.client, clients: clients)
        var draft = RequestDraft(
            request: request,
            settings: settings,
            catalogue: catalogue,
            policy: policy,
            client: client
        )
        if named.kind.stepsUp { draft.stepUp = named }
        for check in requestChecks { try check.apply(to: &draft) }
        return draft.resolved
    }

    /// True if all of `checks` pass; consent is decided elsewhere.
    static func isMet(
        _ checks: [any SessionCheck],
        by proved: ProvedSession,
        _ basis: RequestContext,
        at now: Moment
    ) -> Bool {
        checks.allSatisfy { $0.isMet(by: proved, basis, at: now) }
    }
}

/// One condition that a request must meet.
protocol RequestCheck: Sendable {
    /// Refuses the request, or adds the findings to the draft.
    func apply(to draft: inout RequestDraft) throws(Refusal)
}

/// One condition that a session must meet.
protocol SessionCheck: Sendable {
    /// True if the session meets it.
    func isMet(by session: ProvedSession, _ basis: RequestContext, at now: Moment) -> Bool
}

/// A request with the findings of the checks so far.
struct RequestDraft {
    let request: TokenRequest
    let settings: AuthoritySettings
    let catalogue: PolicyCatalogue
    let policy: Policy
    let client: OAuthClient
    /// The policy whose checks and scopes bound the request beside ``policy``; nil for none.
    var stepUp: Policy?
    /// The API; nil where the token is for the client itself.
    var api: ProtectedAPI?
    /// The URI under which the API was asked for.
    var resource: String?
    var scopes: [String] = []
    var additionalScopes: [String] = []
    var checks: [String] = []
    var additionalChecks: [String] = []
    var acrValues: [String]

    init(
        request: TokenRequest,
        settings: AuthoritySettings,
        catalogue: PolicyCatalogue,
        policy: Policy,
        client: OAuthClient
    ) {
        self.request = request
        self.settings = settings
        self.catalogue = catalogue
        self.policy = policy
        self.client = client
        acrValues = request.acrValues
    }

    var resolved: ResolvedRequest {
        ResolvedRequest(
            policy: policy.id,
            client: client.id,
            audience: api?.audience ?? client.id,
            api: api?.name,
            resource: resource,
            spelledScopes: request.scopes,
            scopes: scopes.sorted(),
            additionalScopes: additionalScopes.sorted(),
            checks: checks,
            additionalChecks: additionalChecks,
            acrValues: acrValues,
            maxAge: request.maxAge
        )
    }
}

/// The request that a session is measured against.
struct RequestContext {
    let request: ResolvedRequest
    let policy: Policy
    let catalogue: PolicyCatalogue
}

/// The proofs of a session, a family or a finished flow, with their policy and client.
struct ProvedSession {
    /// The proofs.
    let proofs: [Proof]
    /// The policy it was made by.
    let policy: String
    /// The client it was made for.
    let client: String
    /// The requests that may use it, as its own policy says.
    let scope: SessionScope

    /// The proofs of a session.
    init(_ session: SessionRow) {
        proofs = session.proofs
        policy = session.policy
        client = session.client
        scope = session.scope
    }

    /// Proofs for one policy and one client.
    init(_ authentication: Authentication, policy: String, client: String) {
        proofs = authentication.proofs
        self.policy = policy
        self.client = client
        scope = .none
    }
}
