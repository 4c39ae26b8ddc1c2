import FlowModel
import Moments
import Policies

/// Both the policy that made the session and the one that is asked let each other use it.
struct SessionScopeCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestBasis, at now: Moment) -> Bool {
        [session.scope, basis.policy.session.scope].allSatisfy { scope in
            switch scope {
            case .tenant: true
            case .application: session.client == basis.request.client
            case .policy: session.policy == basis.request.policy.description
            case .none: false
            }
        }
    }
}
