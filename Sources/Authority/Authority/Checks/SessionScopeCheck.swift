import FlowModel
import Moments
import Policies

/// The session's policy and the requested one must both allow the session to be used.
struct SessionScopeCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestContext, at now: Moment) -> Bool {
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
