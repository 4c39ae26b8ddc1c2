import FlowModel
import Moments

/// The person must have proved who they are recently enough (OpenID Connect Core §3.1.2.1).
struct AgeCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestContext, at now: Moment) -> Bool {
        basis.request.demand.isRecent(session.proofs.compactMap(\.provedAt).max(), at: now)
    }
}
