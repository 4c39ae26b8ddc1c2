import AuthorityStore
import FlowModel
import Moments
import Policies

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

    /// True if a live session answers a request without a question; consent is decided elsewhere.
    func answers(_ context: RequestContext, at now: Moment) -> Bool {
        SessionChecks.scope(self, context)
            && proves(context, at: now)
    }

    /// True if the proofs are enough and new enough, whatever holds them: a session or a refresh-token family.
    func proves(_ context: RequestContext, at now: Moment) -> Bool {
        meets(context, at: now)
            && SessionChecks.age(self, context, at: now)
    }

    /// True if the proofs are enough; a finished flow has asked for them just now.
    func meets(_ context: RequestContext, at now: Moment) -> Bool {
        SessionChecks.signIn(self, context, at: now)
            && SessionChecks.checks(self, context, at: now)
            && SessionChecks.context(self, context)
    }

    /// True if a request may use the session, and it is new enough; what it asks for besides may be missing.
    func serves(_ context: RequestContext, at now: Moment) -> Bool {
        SessionChecks.scope(self, context) && SessionChecks.age(self, context, at: now)
    }
}

/// The checks of what a person has proved, in their order.
///
/// The first paragraph of each comment stands in `docs/authority.md`.
enum SessionChecks {
    /// The session's policy and the requested one must both allow the session to be used.
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

    /// Everything the policy signs in with must have been proved; it counts as long as the session unless `checks.yaml`
    /// sets a time.
    static func signIn(_ session: ProvedSession, _ context: RequestContext, at now: Moment) -> Bool {
        ProofRule(policy: context.policy, catalogue: context.catalogue).signInHolds(session.proofs, at: now)
    }

    /// Every check that the scopes require must have been proved, and recently enough.
    static func checks(_ session: ProvedSession, _ context: RequestContext, at now: Moment) -> Bool {
        let rule = ProofRule(policy: context.policy, catalogue: context.catalogue, client: context.request.client)
        return context.request.checks.allSatisfy { rule.holds($0, by: session.proofs, at: now) }
    }

    /// One of the requested authentication contexts must have been reached.
    static func context(_ session: ProvedSession, _ context: RequestContext) -> Bool {
        context.request.demand.isReached(by: session.proofs.map(\.acr))
    }

    /// The person must have proved who they are recently enough (OpenID Connect Core §3.1.2.1).
    static func age(_ session: ProvedSession, _ context: RequestContext, at now: Moment) -> Bool {
        context.request.demand.isRecent(session.proofs.compactMap(\.provedAt).max(), at: now)
    }
}
