import AuthorityStore
import FlowModel
import Moments
import Policies

struct RequestContext {
    let request: ResolvedRequest
    let policy: Policy
    let catalogue: PolicyCatalogue
}

/// The checks that a user passed in a session, flow or token family, and the policy and client of the sign-in.
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

    /// Whether a live session satisfies a request without a prompt, except for the user's consent.
    func answers(_ context: RequestContext, at now: Moment) -> Bool {
        SessionChecks.scope(self, context)
            && proves(context, at: now)
    }

    func proves(_ context: RequestContext, at now: Moment) -> Bool {
        meets(context, at: now)
            && SessionChecks.age(self, context, at: now)
    }

    /// Whether the user passed all required checks, ignoring `max_age`, which a flow that just finished satisfies.
    func meets(_ context: RequestContext, at now: Moment) -> Bool {
        SessionChecks.signIn(self, context, at: now)
            && SessionChecks.checks(self, context, at: now)
            && SessionChecks.context(self, context)
    }

    func serves(_ context: RequestContext, at now: Moment) -> Bool {
        SessionChecks.scope(self, context) && SessionChecks.age(self, context, at: now)
    }
}

/// The checks that decide whether an authentication satisfies a request, in order.
///
/// The first paragraph of each check's comment is copied to `docs/authority.md`.
enum SessionChecks {
    /// Both the session's policy and the requested policy must allow the request to use the session.
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

    /// The user must have passed every check that the policy requires for sign-in, at any time in the session unless
    /// `checks.yaml` sets a time limit.
    static func signIn(_ session: ProvedSession, _ context: RequestContext, at now: Moment) -> Bool {
        ProofRule(policy: context.policy, catalogue: context.catalogue).signInHolds(session.proofs, at: now)
    }

    /// The user must have passed every check that the requested scopes require, and must have done so recently enough.
    static func checks(_ session: ProvedSession, _ context: RequestContext, at now: Moment) -> Bool {
        let rule = ProofRule(policy: context.policy, catalogue: context.catalogue, client: context.request.client)
        return context.request.checks.allSatisfy { rule.holds($0, by: session.proofs, at: now) }
    }

    /// The authentication must satisfy one of the requested authentication contexts, if there are any.
    static func context(_ session: ProvedSession, _ context: RequestContext) -> Bool {
        context.request.demand.isReached(by: session.proofs.map(\.acr))
    }

    /// The user must have authenticated recently enough for `max_age` (OpenID Connect Core §3.1.2.1).
    static func age(_ session: ProvedSession, _ context: RequestContext, at now: Moment) -> Bool {
        context.request.demand.isRecent(session.proofs.compactMap(\.provedAt).max(), at: now)
    }
}
