import FlowModel
import Moments

/// One of the authentication contexts asked for was reached.
struct ReachedContextCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestBasis, at now: Moment) -> Bool {
        let asked = basis.request.acrValues
        return asked.isEmpty || session.proofs.contains { asked.contains($0.acr) }
    }
}
