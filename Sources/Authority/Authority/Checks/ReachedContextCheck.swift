import FlowModel
import Moments

/// One of the requested authentication contexts must have been reached.
struct ReachedContextCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestContext, at now: Moment) -> Bool {
        basis.request.demand.isReached(by: session.proofs.map(\.acr))
    }
}
