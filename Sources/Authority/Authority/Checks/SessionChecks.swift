import AuthorityStore
import FlowModel
import Moments
import Policies

struct RequestContext {
    let request: ResolvedRequest
    let policy: Policy
    let catalogue: PolicyCatalogue
}

/// The checks that the user passed in a session, token family or finished flow, along with the policy and client.
struct ProvedSession {
    let proofs: [Proof]
    let policy: String
    let client: String
    let scope: SessionScope

    init(_ session: SessionRow) {
        proofs = session.proofs
        policy = session.policy
        client = session.client
        scope = session.scope
    }

    init(_ authentication: Authentication, policy: String, client: String) {
        proofs = authentication.proofs
        self.policy = policy
        self.client = client
        scope = .none
    }

    /// Whether a live session satisfies a request, so that the user does not have to be prompted.
    ///
    /// Consent is checked separately.
    func answers(_ context: RequestContext, at now: Moment) -> Bool {
        SessionChecks.scope(self, context)
            && proves(context, at: now)
    }

    func proves(_ context: RequestContext, at now: Moment) -> Bool {
        meets(context, at: now)
            && SessionChecks.age(self, context, at: now)
    }

    /// Whether the passed checks are sufficient.
    ///
    /// The requested maximum age is ignored, because a flow has just verified the checks.
    func meets(_ context: RequestContext, at now: Moment) -> Bool {
        SessionChecks.signIn(self, context, at: now)
            && SessionChecks.checks(self, context, at: now)
            && SessionChecks.context(self, context)
    }

    func serves(_ context: RequestContext, at now: Moment) -> Bool {
        SessionChecks.scope(self, context) && SessionChecks.age(self, context, at: now)
    }
}

/// The checks that an authentication must pass, in order.
///
/// The first paragraph of each comment is copied to `docs/authority.md`.
enum SessionChecks {
    /// Both the session's policy and the requested policy allow the request to use the session.
    static func scope(_ session: ProvedSession, _ context: RequestContext) -> Bool {
        [session.scope, context.policy.session.scope].allSatisfy { scope in
            switch scope {
            case .tenant: true
            case .application: session.client == context.request.client
            case .policy: session.policy == context.request.policy.description
            case .none: false
            }
        }
    }

    /// The user passed every check that the policy requires for sign-in, at any time in the session unless
    /// `checks.yaml` sets a limit.
    static func signIn(_ session: ProvedSession, _ context: RequestContext, at now: Moment) -> Bool {
        ProofRule(policy: context.policy, catalogue: context.catalogue).signInHolds(session.proofs, at: now)
    }

    /// The user passed every check that the scopes require, and did so recently enough.
    static func checks(_ session: ProvedSession, _ context: RequestContext, at now: Moment) -> Bool {
        let rule = ProofRule(policy: context.policy, catalogue: context.catalogue, client: context.request.client)
        return context.request.checks.allSatisfy { rule.holds($0, by: session.proofs, at: now) }
    }

    /// The authentication satisfied one of the requested authentication contexts.
    static func context(_ session: ProvedSession, _ context: RequestContext) -> Bool {
        context.request.demand.isReached(by: session.proofs.map(\.acr))
    }

    /// The user authenticated recently enough (OpenID Connect Core §3.1.2.1).
    static func age(_ session: ProvedSession, _ context: RequestContext, at now: Moment) -> Bool {
        context.request.demand.isRecent(session.proofs.compactMap(\.provedAt).max(), at: now)
    }
}
