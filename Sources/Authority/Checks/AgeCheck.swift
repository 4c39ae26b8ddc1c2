import FlowModel
import Moments

/// The person proved who they are recently enough (OpenID Connect Core §3.1.2.1).
struct AgeCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestBasis, at now: Moment) -> Bool {
        guard let maxAge = basis.request.maxAge else { return true }
        let authTime = session.proofs.map(\.at).max() ?? 0
        return ProofRule.isRecent(authTime, within: .seconds(min(maxAge, ProofRule.longestAge)), at: now)
    }
}
