import AuthorityStore
import Moments
import Policies

/// Both the policy that made the session and the one that is asked let each other use it.
struct SessionScopeCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestBasis, at now: Moment) -> Bool {
        [session.scope, SessionScope(basis.policy.session.scope)].allSatisfy { scope in
            switch scope {
            case .tenant: true
            case .application: session.client == basis.request.client
            case .policy: session.policy == basis.request.policy.description
            case .none: false
            }
        }
    }
}

extension SessionScope {
    /// The scope that a policy's file names.
    init(_ scope: SessionRule.Scope) {
        self =
            switch scope {
            case .tenant: .tenant
            case .application: .application
            case .policy: .policy
            case .none: .none
            }
    }
}
