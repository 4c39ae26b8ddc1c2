import AuthorityStore
import FlowModel
import Moments
import Policies

/// What every request and every session must pass before tokens are issued.
///
/// The two lists are the specification; they read top to bottom.
enum AuthorizationEndpoint {
    /// What a request must pass, after its policy and its client are known.
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

    /// What must have been proved, whatever remembers it: a session, a refresh-token family or a finished flow.
    static let proofChecks: [any SessionCheck] = [
        SignInProofCheck(),
        ScopeProofCheck(),
        ReachedContextCheck(),
        AgeCheck(),
    ]

    /// What a live session must pass to answer a request without a question.
    static let sessionChecks: [any SessionCheck] = [SessionScopeCheck()] + proofChecks

    /// The request with everything that is left to its policy, or why it can never be granted.
    static func resolve(
        _ request: TokenRequest,
        settings: AuthoritySettings,
        catalogue: PolicyCatalogue,
        clients: [String: OAuthClient]
    ) throws(Refusal) -> ResolvedRequest {
        let policy = try PolicyCheck.policy(request.policy, settings: settings, catalogue: catalogue)
        let client = try ClientCheck.client(request.client, clients: clients)
        var draft = RequestDraft(
            request: request,
            settings: settings,
            catalogue: catalogue,
            policy: policy,
            client: client
        )
        for check in requestChecks { try check.apply(to: &draft) }
        return draft.resolved
    }

    /// Whether all of `checks` pass; consent is another matter.
    static func isMet(
        _ checks: [any SessionCheck],
        by proved: ProvedSession,
        _ basis: RequestBasis,
        at now: Moment
    ) -> Bool {
        checks.allSatisfy { $0.isMet(by: proved, basis, at: now) }
    }
}

/// One thing a request must pass.
protocol RequestCheck: Sendable {
    /// Refuses the request, or adds what it found to the draft.
    func apply(to draft: inout RequestDraft) throws(Refusal)
}

/// One thing a session must pass.
protocol SessionCheck: Sendable {
    /// Whether the session passes.
    func isMet(by session: ProvedSession, _ basis: RequestBasis, at now: Moment) -> Bool
}

/// What is known about a request while it is checked.
struct RequestDraft {
    let request: TokenRequest
    let settings: AuthoritySettings
    let catalogue: PolicyCatalogue
    let policy: Policy
    let client: OAuthClient
    /// The API; nil where the token is for the client itself.
    var api: ProtectedAPI?
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
            scopes: scopes.sorted(),
            additionalScopes: additionalScopes.sorted(),
            checks: checks,
            additionalChecks: additionalChecks,
            acrValues: acrValues,
            maxAge: request.maxAge
        )
    }
}

/// What a session is measured against.
struct RequestBasis {
    let request: ResolvedRequest
    let policy: Policy
    let catalogue: PolicyCatalogue
}

/// What a session, a family or a finished flow has proved, and where.
struct ProvedSession {
    /// What was proved.
    let proofs: [Proof]
    /// The policy it was made by.
    let policy: String
    /// The client it was made for.
    let client: String
    /// Who may use it, as its own policy says.
    let scope: SessionScope

    /// What a session has proved.
    init(_ session: SessionRow) {
        proofs = session.proofs
        policy = session.policy
        client = session.client
        scope = session.scope
    }

    /// What was proved for one policy and one client.
    init(_ authentication: Authentication, policy: String, client: String) {
        proofs = authentication.proofs
        self.policy = policy
        self.client = client
        scope = .none
    }
}
